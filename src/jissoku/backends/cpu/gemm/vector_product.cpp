#include "jissoku/backends/cpu/gemm/vector_product.hpp"

#include <algorithm>

namespace jissoku::backends::cpu::gemm {
namespace {

/// Sums that stay in the first-level cache while columns are added up.
constexpr std::int64_t kSums = 4096;
/// Elements of the matrix for which it pays to wake another thread.
constexpr std::int64_t kElementsPerThread = 32768;
/// Outputs of one thread, at least: a few cache lines of them.
constexpr std::int64_t kOutputsPerThread = 128;

}  // namespace

/// y = alpha * matrix x + beta * y, whichever of the operands was the matrix.
template <typename T>
struct VectorMultiplier<T>::Work {
  Strided<T> matrix;  ///< outputs x depth
  const T* x;         ///< dense
  std::int64_t outputs, depth;
  T* y;
  std::int64_t y_stride;
  T alpha, beta;

  void write(Range range, const T* sums) const {
    for (std::int64_t i = range.first; i < range.last; ++i) {
      T& to = y[i * y_stride];
      to = alpha * sums[i - range.first] + (beta == T(0) ? T(0) : beta * to);
    }
  }
};

template <typename T>
void VectorMultiplier<T>::sum(const Work& work, Range outputs, Range depth, T* sums) const {
  const Strided<T> part = work.matrix.from(outputs.first, depth.first);
  const T* x = work.x + depth.first;
  if (part.column_stride == 1) {
    kernels_.dot(part.data, part.row_stride, outputs.size(), depth.size(), x, sums);
    return;
  }
  std::fill_n(sums, outputs.size(), T(0));
  kernels_.add(part.data, part.column_stride, depth.size(), outputs.size(), x, sums);
}

template <typename T>
bool VectorMultiplier<T>::multiply(const Problem<T>& problem) {
  const bool is_row = problem.m == 1;
  Work work;
  work.matrix = is_row ? problem.b.transposed() : problem.a;
  work.outputs = is_row ? problem.n : problem.m;
  work.depth = problem.k;
  work.y = problem.c;
  work.y_stride = is_row ? 1 : problem.ldc;
  work.alpha = problem.alpha;
  work.beta = problem.beta;
  const Strided<T>& vector = is_row ? problem.a : problem.b;
  const std::int64_t x_stride = is_row ? vector.column_stride : vector.row_stride;
  work.x = vector.data;
  if (x_stride != 1) {
    if (!x_.reserve(work.depth)) {
      return false;
    }
    for (std::int64_t p = 0; p < work.depth; ++p) {
      x_.data()[p] = vector.data[p * x_stride];
    }
    work.x = x_.data();
  }

  const std::int64_t threads =
      std::clamp<std::int64_t>(work.outputs * work.depth / kElementsPerThread, 1, team_.size());
  const std::int64_t groups = std::clamp<std::int64_t>(work.outputs / kOutputsPerThread, 1, threads);
  const std::int64_t slices = threads / groups;  // of the depth, where there are few outputs
  const Pieces outputs = Pieces::into(groups, work.outputs, 16);
  const Pieces depths = Pieces::into(slices, work.depth, 16);
  // With slices, outputs are few; without, each thread's are summed up piece by piece.
  const std::int64_t room = slices > 1 ? outputs.largest() : kSums;
  if (!sums_.reserve(room * threads)) {
    return false;
  }
  const auto part = [&](int member) {
    const std::int64_t group = member % groups, slice = member / groups;
    if (group >= outputs.count() || slice >= depths.count()) {
      return;
    }
    T* const sums = sums_.data() + room * member;
    const Range mine = outputs[group];
    if (slices > 1) {
      sum(work, mine, depths[slice], sums);
      return;
    }
    for (std::int64_t first = mine.first; first < mine.last; first += kSums) {
      const Range piece{first, std::min(mine.last, first + kSums)};
      sum(work, piece, {0, work.depth}, sums);
      work.write(piece, sums);
    }
  };
  if (threads == 1) {
    part(0);
    return true;
  }
  team_.run([&](int member) {
    if (member < groups * slices) {
      part(member);
    }
  });
  if (slices > 1) {
    for (std::int64_t group = 0; group < outputs.count(); ++group) {
      T* const total = sums_.data() + room * group;
      for (std::int64_t slice = 1; slice < depths.count(); ++slice) {
        const T* more = sums_.data() + room * (slice * groups + group);
        for (std::int64_t i = 0; i < outputs[group].size(); ++i) {
          total[i] += more[i];
        }
      }
      work.write(outputs[group], total);
    }
  }
  return true;
}

template class VectorMultiplier<float>;
template class VectorMultiplier<double>;

}  // namespace jissoku::backends::cpu::gemm
