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
/// Borders between threads are multiples of this: whole cache lines.
constexpr std::int64_t kGrain = 16;

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

/// Which thread does what: `groups` of outputs times `slices` of the depth, the latter where outputs are few.
template <typename T>
struct VectorMultiplier<T>::Split {
  Pieces outputs, depths;
  std::int64_t groups, slices;
  std::int64_t room;  ///< for sums, of each thread

  static Split of(const Work& work, int threads) {
    const std::int64_t used =
        std::clamp<std::int64_t>(work.outputs * work.depth / kElementsPerThread, 1, threads);
    const std::int64_t groups = std::clamp<std::int64_t>(work.outputs / kOutputsPerThread, 1, used);
    const std::int64_t slices = used / groups;
    Split split{Pieces::into(groups, work.outputs, kGrain),
                Pieces::into(slices, work.depth, kGrain),
                groups,
                slices,
                kSums};
    if (slices > 1) {
      split.room = split.outputs.largest();
    }
    return split;
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
void VectorMultiplier<T>::do_part(const Work& work, const Split& split, std::int64_t member) const {
  const std::int64_t group = member % split.groups, slice = member / split.groups;
  if (group >= split.outputs.count() || slice >= split.depths.count()) {
    return;
  }
  T* const sums = sums_.data() + split.room * member;
  const Range mine = split.outputs[group];
  if (split.slices > 1) {
    sum(work, mine, split.depths[slice], sums);
    return;
  }
  for (std::int64_t first = mine.first; first < mine.last; first += kSums) {
    const Range piece{first, std::min(mine.last, first + kSums)};
    sum(work, piece, {0, work.depth}, sums);
    work.write(piece, sums);
  }
}

template <typename T>
void VectorMultiplier<T>::add_slices(const Work& work, const Split& split) const {
  for (std::int64_t group = 0; group < split.outputs.count(); ++group) {
    T* const total = sums_.data() + split.room * group;
    for (std::int64_t slice = 1; slice < split.depths.count(); ++slice) {
      const T* more = sums_.data() + split.room * (slice * split.groups + group);
      for (std::int64_t i = 0; i < split.outputs[group].size(); ++i) {
        total[i] += more[i];
      }
    }
    work.write(split.outputs[group], total);
  }
}

template <typename T>
bool VectorMultiplier<T>::multiply(const Problem<T>& problem) {
  const bool is_row = problem.m == 1;
  const Strided<T>& vector = is_row ? problem.a.plain : problem.b.plain;
  const std::int64_t x_stride = is_row ? vector.column_stride : vector.row_stride;
  Work work{is_row ? problem.b.plain.transposed() : problem.a.plain,
            vector.data,
            is_row ? problem.n : problem.m,
            problem.k,
            problem.c,
            is_row ? 1 : problem.ldc,
            problem.alpha,
            problem.beta};
  if (x_stride != 1) {
    if (!x_.reserve(work.depth)) {
      return false;
    }
    for (std::int64_t p = 0; p < work.depth; ++p) {
      x_.data()[p] = vector.data[p * x_stride];
    }
    work.x = x_.data();
  }
  const Split split = Split::of(work, team_.size());
  const std::int64_t threads = split.groups * split.slices;
  if (!sums_.reserve(split.room * threads)) {
    return false;
  }
  if (threads == 1) {
    do_part(work, split, 0);
    return true;
  }
  team_.run([&](int member) {
    if (member < threads) {
      do_part(work, split, member);
    }
  });
  if (split.slices > 1) {
    add_slices(work, split);
  }
  return true;
}

template class VectorMultiplier<float>;
template class VectorMultiplier<double>;

}  // namespace jissoku::backends::cpu::gemm
