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
  inherent,     ///< no finding: gaps too short to avoid
  device_wait,  ///< no finding: launched in time, started late; the trace does not say what it waited for
  no_launch,    ///< no finding: the launch of what came next is not recorded
  kCount,
};

enum class Verdict : std::uint8_t { cause, healthy, unexplained, untrusted, no_gpu_work };

enum class Advice : std::uint8_t { precision_fp32, pageable_memory, small_grid, low_memory_use };

std::string_view id_of(Cause cause);
std::string_view id_of(Advice advice);
/// Whether it names something to change.
constexpr bool is_finding(Cause cause) {
  return cause < Cause::inherent;
}
/// Of a cause that is a finding.
std::optional<Cause> parse_cause(std::string_view id);

}  // namespace jissoku::timeline::diagnosis
