#include "jissoku/backends/cpu/gemm/portable_tiles.hpp"

#include <array>

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

constexpr unsigned kLanes = 4, kRows = 4, kVectors = 2;

std::uint32_t low(std::int32_t word) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int16_t>(word)));
}

std::uint32_t high(std::int32_t word) {
  return static_cast<std::uint32_t>(word >> 16);
}

/// Sums modulo 2^32, as the generated kernels form them.
template <unsigned Rows, unsigned Vectors>
void multiply_pairs(const TileCall<std::int32_t>& call) {
  constexpr unsigned kWidth = Vectors * kLanes;
  constexpr std::int64_t kBytes = sizeof(std::int32_t);
  std::array<std::array<std::uint32_t, kWidth>, Rows> sums;
  const std::int32_t* const start = call.b + call.depth * (call.b_step / kBytes);
  for (auto& row : sums) {
    for (unsigned j = 0; j < kWidth; ++j) {
      row[j] = static_cast<std::uint32_t>(start[j]);
    }
  }
  for (std::int64_t p = 0; p < call.depth; ++p) {
    const std::int32_t* const b = call.b + p * (call.b_step / kBytes);
    for (unsigned i = 0; i < Rows; ++i) {
      const std::int32_t a = call.a[(i * call.a_row + p * call.a_step) / kBytes];
      for (unsigned j = 0; j < kWidth; ++j) {
        sums[i][j] += low(a) * low(b[j]) + high(a) * high(b[j]);
      }
    }
  }
  const auto lanes = static_cast<unsigned>(call.last_lanes);
  const unsigned columns = kWidth - (lanes == 0 ? 0 : kLanes - lanes);
  for (unsigned i = 0; i < Rows; ++i) {
    std::int32_t* const c = call.c + i * (call.c_row / kBytes);
    for (unsigned j = 0; j < columns; ++j) {
      const std::uint32_t old = call.beta == 0 ? 0 : static_cast<std::uint32_t>(c[j]);
      c[j] = static_cast<std::int32_t>(sums[i][j] + old);
    }
  }
}

constexpr std::array<Tile<std::int32_t>, std::size_t{kRows}* kVectors> kIntegerTiles = {
    multiply_pairs<1, 1>,
    multiply_pairs<2, 1>,
    multiply_pairs<3, 1>,
    multiply_pairs<4, 1>,
    multiply_pairs<1, 2>,
    multiply_pairs<2, 2>,
    multiply_pairs<3, 2>,
    multiply_pairs<4, 2>,
};

}  // namespace

std::unique_ptr<TileSource<std::int32_t>> make_portable_integer_tiles() {
  return std::make_unique<Portable<std::int32_t>>(
      PortableTiles<std::int32_t>{kLanes, kRows, kVectors, kIntegerTiles.data()});
}

template <typename T>
std::unique_ptr<TileSource<T>> make_portable_tiles(const PortableTiles<T>& tiles) {
  return std::make_unique<Portable<T>>(tiles);
}

template std::unique_ptr<TileSource<float>> make_portable_tiles<float>(const PortableTiles<float>&);
template std::unique_ptr<TileSource<double>> make_portable_tiles<double>(const PortableTiles<double>&);

}  // namespace jissoku::backends::cpu::gemm
