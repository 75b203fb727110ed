#include "jissoku/backends/cpu/own_engine.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace jissoku::backends::cpu {
namespace {

// A packed block of a (kRowBlock x kDepthBlock) stays in the L2 cache, one of b (kDepthBlock x
// kColumnBlock) in the L3, while their panels go through the tile kernel. Row and column blocks are
// multiples of all tile sizes.
constexpr std::int64_t kDepthBlock = 256;
constexpr std::int64_t kRowBlock = 144;
constexpr std::int64_t kColumnBlock = 2048;
constexpr std::size_t kAlignment = 64;

/// A matrix by its strides, so that a transpose is only an exchange of the two.
template <typename T>
struct Strided {
  const T* data;
  std::int64_t row_stride, column_stride;

  const T* at(std::int64_t row, std::int64_t column) const {
    return data + row * row_stride + column * column_stride;
  }
};

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

/// Room for the packed blocks and one tile, of one thread. Pages are touched by the thread that uses them.
template <typename T>
struct Workspace {
  std::unique_ptr<T, FreeMemory> memory;

  static constexpr std::int64_t kTile = std::int64_t{12} * 32;
  static constexpr std::int64_t kElements = kRowBlock * kDepthBlock + kDepthBlock * kColumnBlock + kTile;

  bool allocate() {
    if (!memory) {
      constexpr std::size_t kBytes = static_cast<std::size_t>(kElements) * sizeof(T);
      static_assert(kBytes % kAlignment == 0);
      memory.reset(static_cast<T*>(std::aligned_alloc(kAlignment, kBytes)));
    }
    return memory != nullptr;
  }
  T* a_block() const { return memory.get(); }
  T* b_block() const { return a_block() + kRowBlock * kDepthBlock; }
  T* tile() const { return b_block() + kDepthBlock * kColumnBlock; }
};

/// Packs `count` x `depth` elements into panels `width` across, panel after panel; a panel that is
/// not full is padded with zeros. Strides in elements: across the panel, and along the depth.
template <typename T>
void pack(const T* from,
          std::int64_t across,
          std::int64_t along,
          std::int64_t count,
          std::int64_t depth,
          std::int64_t width,
          T* to) {
  for (std::int64_t first = 0; first < count; first += width) {
    const std::int64_t used = std::min(width, count - first);
    const T* panel = from + first * across;
    if (used < width) {
      std::fill(to, to + width * depth, T(0));
    }
    if (across == 1) {
      for (std::int64_t p = 0; p < depth; ++p) {
        std::copy_n(panel + p * along, used, to + p * width);
      }
    } else {
      for (std::int64_t i = 0; i < used; ++i) {
        for (std::int64_t p = 0; p < depth; ++p) {
          to[p * width + i] = panel[i * across + p * along];
        }
      }
    }
    to += width * depth;
  }
}

/// c = alpha * tile + beta * c for the part of the tile that lies in c.
template <typename T>
void update(const T* tile,
            std::int64_t tile_stride,
            std::int64_t rows,
            std::int64_t columns,
            T alpha,
            T beta,
            T* c,
            std::int64_t ldc) {
  for (std::int64_t i = 0; i < rows; ++i) {
    const T* from = tile + i * tile_stride;
    T* to = c + i * ldc;
    if (beta == T(0)) {
      for (std::int64_t j = 0; j < columns; ++j) {
        to[j] = alpha * from[j];
      }
    } else {
      for (std::int64_t j = 0; j < columns; ++j) {
        to[j] = alpha * from[j] + beta * to[j];
      }
    }
  }
}

template <typename T>
struct Slab {
  Strided<T> a, b;
  T* c;
  std::int64_t ldc;
  std::int64_t m, n, k;
  T alpha, beta;
};

/// One packed block of a times one of b, into c.
template <typename T>
void multiply_blocks(const TileKernel<T>& kernel, const Workspace<T>& space, const Slab<T>& block, T beta) {
  for (std::int64_t j = 0; j < block.n; j += kernel.columns) {
    for (std::int64_t i = 0; i < block.m; i += kernel.rows) {
      kernel.multiply(block.k, space.a_block() + i * block.k, space.b_block() + j * block.k, space.tile());
      update(space.tile(),
             kernel.columns,
             std::min<std::int64_t>(kernel.rows, block.m - i),
             std::min<std::int64_t>(kernel.columns, block.n - j),
             block.alpha,
             beta,
             block.c + i * block.ldc + j,
             block.ldc);
    }
  }
}

template <typename T>
void multiply_slab(const TileKernel<T>& kernel, const Workspace<T>& space, const Slab<T>& slab) {
  for (std::int64_t j = 0; j < slab.n; j += kColumnBlock) {
    for (std::int64_t p = 0; p < slab.k; p += kDepthBlock) {
      Slab<T> block = slab;
      block.n = std::min(kColumnBlock, slab.n - j);
      block.k = std::min(kDepthBlock, slab.k - p);
      pack(slab.b.at(p, j),
           slab.b.column_stride,
           slab.b.row_stride,
           block.n,
           block.k,
           kernel.columns,
           space.b_block());
      for (std::int64_t i = 0; i < slab.m; i += kRowBlock) {
        block.m = std::min(kRowBlock, slab.m - i);
        block.c = slab.c + i * slab.ldc + j;
        pack(slab.a.at(i, p),
             slab.a.row_stride,
             slab.a.column_stride,
             block.m,
             block.k,
             kernel.rows,
             space.a_block());
        multiply_blocks(kernel, space, block, p == 0 ? slab.beta : T(1));
      }
    }
  }
}

template <typename T>
Slab<T> make_slab(const Product& product) {
  const auto strided = [](const void* data, std::int64_t ld, bool transpose) {
    return Strided<T>{static_cast<const T*>(data), transpose ? 1 : ld, transpose ? ld : 1};
  };
  return {strided(product.a, product.lda, product.transpose_a),
          strided(product.b, product.ldb, product.transpose_b),
          static_cast<T*>(product.c),
          product.ldc,
          product.m,
          product.n,
          product.k,
          static_cast<T>(product.alpha),
          static_cast<T>(product.beta)};
}

class OwnEngine final : public Engine {
 public:
  OwnEngine(ThreadTeam& team, const Kernels& kernels) : team_(team), kernels_(kernels) {
    variant_.name = "jissoku";
    variant_.library = "Jissoku";
    variant_.kernel = kernels.name;
    variant_.threads = team.size();
    spaces_f32_.resize(static_cast<std::size_t>(team.size()));
    spaces_f64_.resize(static_cast<std::size_t>(team.size()));
  }

  const device::Variant& variant() const override { return variant_; }

  device::Support supports(const Product& product) const override {
    if (product.type == numerics::DataType::f32 || product.type == numerics::DataType::f64) {
      return {.ok = true, .emulated = false, .reason = {}};
    }
    return {.ok = false,
            .emulated = false,
            .reason = core::message("cpu.engine_type",
                                    {{"engine", std::string("jissoku")},
                                     {"type", std::string(numerics::display_name(product.type))}})};
  }

  core::Status multiply(const Product& product) override {
    return product.type == numerics::DataType::f32 ? multiply(product, kernels_.tile_f32, spaces_f32_)
                                                   : multiply(product, kernels_.tile_f64, spaces_f64_);
  }

 private:
  template <typename T>
  core::Status multiply(const Product& product,
                        const TileKernel<T>& kernel,
                        std::vector<Workspace<T>>& spaces) {
    for (Workspace<T>& space : spaces) {
      if (!space.allocate()) {
        return core::make_error(core::ExitCode::unavailable, "cpu.no_workspace");
      }
    }
    const Slab<T> whole = make_slab<T>(product);
    // Whole tiles, along the side that has more of them.
    const bool by_rows = whole.m / kernel.rows >= whole.n / kernel.columns;
    team_.run_ranges(by_rows ? whole.m : whole.n,
                     by_rows ? kernel.rows : kernel.columns,
                     [&](int member, std::int64_t first, std::int64_t last) {
                       Slab<T> slab = whole;
                       (by_rows ? slab.m : slab.n) = last - first;
                       slab.c += by_rows ? first * slab.ldc : first;
                       if (by_rows) {
                         slab.a.data = whole.a.at(first, 0);
                       } else {
                         slab.b.data = whole.b.at(0, first);
                       }
                       multiply_slab(kernel, spaces[static_cast<std::size_t>(member)], slab);
                     });
    return {};
  }

  ThreadTeam& team_;
  const Kernels& kernels_;
  device::Variant variant_;
  std::vector<Workspace<float>> spaces_f32_;
  std::vector<Workspace<double>> spaces_f64_;
};

}  // namespace

std::unique_ptr<Engine> make_own_engine(ThreadTeam& team, const Kernels& kernels) {
  return std::make_unique<OwnEngine>(team, kernels);
}

}  // namespace jissoku::backends::cpu
