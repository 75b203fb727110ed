#include "jissoku/backends/cpu/own_engine.hpp"

#include <algorithm>
#include <atomic>
#include <type_traits>
#include <utility>
#include <vector>

#include "jissoku/backends/cpu/gemm/coded.hpp"
#include "jissoku/backends/cpu/gemm/generated_tiles.hpp"
#include "jissoku/backends/cpu/gemm/multiply.hpp"
#include "jissoku/backends/cpu/gemm/portable_tiles.hpp"
#include "jissoku/backends/cpu/gemm/vector_product.hpp"

namespace jissoku::backends::cpu {
namespace {

using gemm::Grid;
using gemm::Pieces;
using gemm::Problem;
using gemm::Range;
using numerics::DataType;

/// A product in the engine's terms; owns what coded operands refer to.
template <typename T>
struct Stated {
  gemm::Coded a, b;
  Problem<T> problem;
};

bool is_plain(const OperandFormat& format) {
  const bool wide = format.type == DataType::f32 || format.type == DataType::f64;
  return (wide || format.type == DataType::tf32) && format.scale_block == 0;
}

gemm::Coded coded(const OperandFormat& format, const void* data, std::int64_t ld, bool transposed) {
  gemm::Coded coded;
  coded.type = format.type;
  coded.data = static_cast<const std::byte*>(data);
  coded.leading_dimension = ld;
  coded.transposed = transposed;
  coded.scales = static_cast<const std::byte*>(format.scales);
  coded.scale_type = format.scale_type;
  coded.scale_block = format.scale_block;
  return coded;
}

/// Scalars and c; `depth` in steps of the kernels.
template <typename T>
Problem<T> make_problem(const Product& product, std::int64_t depth) {
  Problem<T> problem;
  problem.c = static_cast<T*>(product.c);
  problem.ldc = product.ldc;
  problem.m = product.m;
  problem.n = product.n;
  problem.k = depth;
  problem.alpha = static_cast<T>(product.alpha);
  problem.beta = static_cast<T>(product.beta);
  return problem;
}

/// Into `stated`, which must stay where it is.
template <typename T>
void state(const Product& product, gemm::Dot dot, Stated<T>& stated) {
  constexpr bool kInteger = std::is_same_v<T, std::int32_t>;
  const std::int64_t per_step = kInteger ? gemm::elements_per_step(dot) : 1;
  stated.problem = make_problem<T>(product, (product.k + per_step - 1) / per_step);
  const auto operand = [&](const OperandFormat& format,
                           const void* data,
                           std::int64_t ld,
                           bool transposed,
                           gemm::Size shape,
                           gemm::Coded& codes) {
    if (is_plain(format)) {
      return gemm::Operand<T>{
          {static_cast<const T*>(data), transposed ? 1 : ld, transposed ? ld : 1}, nullptr, 0, 0};
    }
    codes = coded(format, data, ld, transposed);
    codes.rows = transposed ? shape.n : shape.m;
    codes.columns = transposed ? shape.m : shape.n;
    codes.dot = dot;
    return gemm::Operand<T>{{}, &codes, 0, 0};
  };
  stated.problem.a = operand(
      product.a_format, product.a, product.lda, product.transpose_a, {product.m, product.k, 0}, stated.a);
  stated.problem.b = operand(
      product.b_format, product.b, product.ldb, product.transpose_b, {product.k, product.n, 0}, stated.b);
}

/// All that multiplies one type.
template <typename T>
class TypedEngine {
 public:
  TypedEngine(ThreadTeam& team,
              std::unique_ptr<gemm::TileSource<T>> tiles,
              const VectorKernels<T>& vectors,
              const gemm::Caches& caches)
      : team_(team),
        tiles_(std::move(tiles)),
        multiplier_(*tiles_, caches),
        vectors_(team, vectors),
        members_(static_cast<std::size_t>(team.size())) {}

  /// False if there is no memory.
  bool multiply(const Problem<T>& problem) {
    const bool plain = problem.a.coded == nullptr && problem.b.coded == nullptr;
    if constexpr (std::is_floating_point_v<T>) {
      if (plain && (problem.m == 1 || problem.n == 1)) {
        return vectors_.multiply(problem);
      }
    }
    const Grid grid = grid_for(problem);
    if (grid.threads() == 1) {
      return multiplier_.multiply(problem, members_.front().workspace);
    }
    std::atomic<bool> done = true;
    team_.run([&](int member) {
      if (member < grid.threads() && !multiply_part(problem, grid, member)) {
        done = false;
      }
    });
    if (done && grid.depths > 1) {
      team_.run([&](int member) { add_parts(problem, grid, member); });
    }
    return done;
  }

 private:
  struct Member {
    gemm::Workspace<T> workspace;
    gemm::Scratch<T> part;  ///< of c: what a thread further along k adds to it
  };

  /// One place of the grid in c.
  struct Part {
    Range rows, columns;
  };

  Part part_of(const Problem<T>& problem, const Grid& grid, int place) const {
    const Pieces rows = Pieces::into(grid.rows, problem.m);
    const Pieces columns = Pieces::into(grid.columns, problem.n, multiplier_.lanes());
    const int row = place / grid.columns, column = place % grid.columns;
    return {row < rows.count() ? rows[row] : Range(), column < columns.count() ? columns[column] : Range()};
  }

  bool multiply_part(const Problem<T>& whole, const Grid& grid, int member) {
    const int places = grid.rows * grid.columns;
    const Part part = part_of(whole, grid, member % places);
    const Pieces depths = Pieces::into(grid.depths, whole.k);
    const int slice = member / places;
    if (part.rows.size() == 0 || part.columns.size() == 0 || slice >= depths.count()) {
      return true;
    }
    Problem<T> problem = whole;
    problem.m = part.rows.size();
    problem.n = part.columns.size();
    problem.k = depths[slice].size();
    problem.a = whole.a.from(part.rows.first, depths[slice].first);
    problem.b = whole.b.from(depths[slice].first, part.columns.first);
    problem.c = whole.c + part.rows.first * whole.ldc + part.columns.first;
    Member& self = members_[static_cast<std::size_t>(member)];
    if (slice > 0) {
      if (!self.part.reserve(problem.m * problem.n)) {
        return false;
      }
      problem.c = self.part.data();
      problem.ldc = problem.n;
      problem.beta = 0;
    }
    return multiplier_.multiply(problem, self.workspace);
  }

  /// c += the parts of the other slices, in their order: a share of the rows of each part.
  void add_parts(const Problem<T>& whole, const Grid& grid, int member) const {
    const int places = grid.rows * grid.columns;
    const auto slices = static_cast<int>(Pieces::into(grid.depths, whole.k).count());
    for (int place = 0; place < places; ++place) {
      const Part part = part_of(whole, grid, place);
      const Pieces shares = Pieces::into(team_.size(), part.rows.size());
      if (member >= shares.count()) {
        continue;
      }
      for (std::int64_t i = shares[member].first; i < shares[member].last; ++i) {
        T* c = whole.c + (part.rows.first + i) * whole.ldc + part.columns.first;
        for (int slice = 1; slice < slices; ++slice) {
          const Member& other = members_[static_cast<std::size_t>(slice * places + place)];
          const T* more = other.part.data() + i * part.columns.size();
          for (std::int64_t j = 0; j < part.columns.size(); ++j) {
            c[j] += more[j];
          }
        }
      }
    }
  }

  /// The last one is kept: products come in series.
  Grid grid_for(const Problem<T>& problem) {
    if (team_.size() > 1 && (problem.m != size_.m || problem.n != size_.n || problem.k != size_.k)) {
      size_ = {problem.m, problem.n, problem.k};
      grid_ = gemm::choose_grid(size_, team_.size(), multiplier_.lanes());
    }
    return grid_;
  }

  ThreadTeam& team_;
  const std::unique_ptr<gemm::TileSource<T>> tiles_;
  const gemm::Multiplier<T> multiplier_;
  gemm::VectorMultiplier<T> vectors_;
  std::vector<Member> members_;
  gemm::Size size_;
  Grid grid_;
};

template <typename T>
std::unique_ptr<gemm::TileSource<T>> make_tiles(const Kernels& kernels,
                                                const PortableTiles<T>& portable,
                                                bool generate) {
  auto tiles = generate ? gemm::make_generated_tiles<T>({.isa = kernels.isa}) : nullptr;
  return tiles ? std::move(tiles) : gemm::make_portable_tiles(portable);
}

/// Integer tiles, with how they multiply: `dot` is set.
std::unique_ptr<gemm::TileSource<std::int32_t>> make_integer_tiles(Isa isa, bool generate, gemm::Dot& dot) {
  const gemm::TileTarget target = gemm::integer_target(isa);
  auto tiles = generate ? gemm::make_generated_tiles<std::int32_t>(target) : nullptr;
  dot = tiles ? target.dot : gemm::Dot::pairs;
  return tiles ? std::move(tiles) : gemm::make_portable_integer_tiles();
}

device::Support refused(core::Message reason) {
  return {.ok = false, .emulated = false, .reason = std::move(reason)};
}

device::Support wrong_type(DataType type) {
  return refused(core::message(
      "cpu.engine_type",
      {{"engine", std::string("jissoku")}, {"type", std::string(numerics::display_name(type))}}));
}

/// What can be decoded to FP32.
bool decodes(const OperandFormat& format) {
  const DataType type = format.type, scale = format.scale_type;
  const bool scaled =
      format.scale_block == 0 || scale == DataType::e8m0 || scale == DataType::e4m3 || scale == DataType::f32;
  return scaled && type != DataType::f64 && type != DataType::i32 && type != DataType::e8m0;
}

device::Support supports_decoding(const Product& product) {
  for (const OperandFormat* format : {&product.a_format, &product.b_format}) {
    if (!decodes(*format)) {
      return wrong_type(format->type);
    }
  }
  if (product.uniform()) {
    return {.ok = true, .emulated = false, .reason = {}};
  }
  const bool narrow_a = product.a_format.type != DataType::f32;
  const DataType shown = narrow_a ? product.a_format.type : product.b_format.type;
  return {.ok = true,
          .emulated = true,
          .reason = core::message("cpu.decoded", {{"type", std::string(numerics::display_name(shown))}})};
}

device::Support supports_integers(const Product& product, gemm::Dot dot) {
  for (const OperandFormat* format : {&product.a_format, &product.b_format}) {
    if (format->type != DataType::i8 || format->scale_block != 0) {
      return wrong_type(format->type);
    }
  }
  if (product.k > kDeepestIntegers) {
    return refused(core::message("cpu.integer_depth", {{"k", product.k}, {"most", kDeepestIntegers}}));
  }
  if (product.alpha != 1 || (product.beta != 0 && product.beta != 1)) {
    return refused(core::message("cpu.integer_scalars", {{"alpha", product.alpha}, {"beta", product.beta}}));
  }
  if (dot == gemm::Dot::quads) {
    return {.ok = true, .emulated = false, .reason = {}};
  }
  return {.ok = true, .emulated = true, .reason = core::message("cpu.widened")};
}

class OwnEngine final : public Engine {
 public:
  OwnEngine(ThreadTeam& team, const Kernels& kernels, const OwnEngineOptions& options)
      : f32_(team,
             make_tiles(kernels, kernels.tiles_f32, options.generate),
             kernels.vector_f32,
             options.caches),
        f64_(team,
             make_tiles(kernels, kernels.tiles_f64, options.generate),
             kernels.vector_f64,
             options.caches),
        i32_(team, make_integer_tiles(kernels.isa, options.generate, dot_), {}, options.caches) {
    variant_.name = "jissoku";
    variant_.library = "Jissoku";
    variant_.kernel = kernels.name;
    variant_.threads = team.size();
  }

  const device::Variant& variant() const override { return variant_; }

  device::Support supports(const Product& product) const override {
    switch (product.type) {
      case DataType::f32:
        return supports_decoding(product);
      case DataType::i32:
        return supports_integers(product, dot_);
      case DataType::f64:
        return product.uniform() ? device::Support{.ok = true, .emulated = false, .reason = {}}
                                 : wrong_type(product.a_format.type);
      default:
        return wrong_type(product.type);
    }
  }

  core::Status multiply(const Product& product) override {
    const bool done = product.type == DataType::f32   ? multiply(f32_, product)
                      : product.type == DataType::i32 ? multiply(i32_, product)
                                                      : multiply(f64_, product);
    return done ? core::Status() : core::make_error(core::ExitCode::unavailable, "cpu.no_workspace");
  }

 private:
  template <typename T>
  bool multiply(TypedEngine<T>& engine, const Product& product) {
    Stated<T> stated;
    state(product, dot_, stated);
    return engine.multiply(stated.problem);
  }

  device::Variant variant_;
  gemm::Dot dot_ = gemm::Dot::pairs;  // before i32_, which sets it
  TypedEngine<float> f32_;
  TypedEngine<double> f64_;
  TypedEngine<std::int32_t> i32_;
};

}  // namespace

std::unique_ptr<Engine> make_own_engine(ThreadTeam& team,
                                        const Kernels& kernels,
                                        const OwnEngineOptions& options) {
  return std::make_unique<OwnEngine>(team, kernels, options);
}

}  // namespace jissoku::backends::cpu
