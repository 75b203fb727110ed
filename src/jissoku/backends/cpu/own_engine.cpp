#include "jissoku/backends/cpu/own_engine.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

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

template <typename T>
Problem<T> make_problem(const Product& product) {
  const auto strided = [](const void* data, std::int64_t ld, bool transpose) {
    return gemm::Strided<T>{static_cast<const T*>(data), transpose ? 1 : ld, transpose ? ld : 1};
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
    if (problem.m == 1 || problem.n == 1) {
      return vectors_.multiply(problem);
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
  auto tiles = generate ? gemm::make_generated_tiles<T>(kernels.isa) : nullptr;
  return tiles ? std::move(tiles) : gemm::make_portable_tiles(portable);
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
             options.caches) {
    variant_.name = "jissoku";
    variant_.library = "Jissoku";
    variant_.kernel = kernels.name;
    variant_.threads = team.size();
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
    const bool done = product.type == numerics::DataType::f32 ? f32_.multiply(make_problem<float>(product))
                                                              : f64_.multiply(make_problem<double>(product));
    return done ? core::Status() : core::make_error(core::ExitCode::unavailable, "cpu.no_workspace");
  }

 private:
  device::Variant variant_;
  TypedEngine<float> f32_;
  TypedEngine<double> f64_;
};

}  // namespace

std::unique_ptr<Engine> make_own_engine(ThreadTeam& team,
                                        const Kernels& kernels,
                                        const OwnEngineOptions& options) {
  return std::make_unique<OwnEngine>(team, kernels, options);
}

}  // namespace jissoku::backends::cpu
