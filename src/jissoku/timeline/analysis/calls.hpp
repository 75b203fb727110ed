// What calls of device runtimes mean, by name: CUDA, HIP, and what `jissoku profile` records in their style.
#pragma once

#include <string_view>
#include <vector>

#include "jissoku/timeline/model.hpp"

namespace jissoku::timeline::analysis {

enum class CallKind : std::uint8_t {
  other,
  launch,         ///< of kernels, also of a graph
  copy,           ///< cudaMemcpyAsync: blocks if its memory is pageable
  blocking_copy,  ///< cudaMemcpy, hipMemcpyWithStream
  memset,
  synchronise,  ///< waits for a stream, device or event
  allocate,     ///< cudaMalloc, cudaFree, cudaHostAlloc: wait for the device or take long
  load,         ///< of modules and compiled code
};

CallKind call_kind(std::string_view name);

/// Of all texts of a trace, by StringId.
std::vector<CallKind> call_kinds(const Timeline& timeline);

}  // namespace jissoku::timeline::analysis
