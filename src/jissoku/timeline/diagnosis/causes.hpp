// The vocabulary of verdicts; ids are a contract.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace jissoku::timeline::diagnosis {

enum class Cause : std::uint8_t {
  input_starvation,
  sync_item,
  blocking_copy,
  transfer_bound,
  launch_bound,
  host_work,
  allocator,
  compilation,
  communication,
  straggler,
  profiler_overhead,
  unexplained,  ///< no cause: waits on the device's side, and work whose launch was not recorded
  kCount,
};

enum class Verdict : std::uint8_t { cause, healthy, unexplained, untrusted, no_gpu_work };

enum class Advice : std::uint8_t { precision_fp32, pageable_memory, small_grid, low_memory_use };

std::string_view id_of(Cause cause);
std::string_view id_of(Advice advice);
/// Of a cause that is a finding.
std::optional<Cause> parse_cause(std::string_view id);

}  // namespace jissoku::timeline::diagnosis
