// Products with m = 1 or n = 1: a matrix is read once, and the speed is that of memory.
#pragma once

#include "jissoku/backends/cpu/gemm/matrix.hpp"
#include "jissoku/backends/cpu/gemm/multiply.hpp"
#include "jissoku/backends/cpu/kernels.hpp"
#include "jissoku/backends/cpu/thread_team.hpp"

namespace jissoku::backends::cpu::gemm {

template <typename T>
class VectorMultiplier {
 public:
  /// The team must outlive it.
  VectorMultiplier(ThreadTeam& team, const VectorKernels<T>& kernels) : team_(team), kernels_(kernels) {}

  /// False if there is no memory. Precondition: m or n is 1, and neither operand is coded.
  bool multiply(const Problem<T>& problem);

 private:
  struct Work;
  struct Split;
  void do_part(const Work& work, const Split& split, std::int64_t member) const;
  void add_slices(const Work& work, const Split& split) const;
  void sum(const Work& work, Range outputs, Range depth, T* sums) const;

  ThreadTeam& team_;
  const VectorKernels<T> kernels_;
  Scratch<T> x_, sums_;
};

}  // namespace jissoku::backends::cpu::gemm
