#include "jissoku/backends/cpu/gemm/portable_tiles.hpp"

namespace jissoku::backends::cpu::gemm {
namespace {

template <typename T>
class Portable final : public TileSource<T> {
 public:
  explicit Portable(const PortableTiles<T>& tiles) : tiles_(tiles) {}

  int lanes() const override { return tiles_.lanes; }
  int max_vectors() const override { return tiles_.vectors; }
  int max_rows(int) const override { return tiles_.rows; }
  int max_copying_rows() const override { return tiles_.rows; }
  Tile<T> tile(const TileForm& form) override {
    return tiles_.multiply[(form.vectors - 1) * tiles_.rows + form.rows - 1];
  }

 private:
  const PortableTiles<T> tiles_;
};

}  // namespace

template <typename T>
std::unique_ptr<TileSource<T>> make_portable_tiles(const PortableTiles<T>& tiles) {
  return std::make_unique<Portable<T>>(tiles);
}

template std::unique_ptr<TileSource<float>> make_portable_tiles<float>(const PortableTiles<float>&);
template std::unique_ptr<TileSource<double>> make_portable_tiles<double>(const PortableTiles<double>&);

}  // namespace jissoku::backends::cpu::gemm
