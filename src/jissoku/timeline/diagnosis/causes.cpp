#include "jissoku/timeline/diagnosis/causes.hpp"

#include <array>

namespace jissoku::timeline::diagnosis {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Cause::kCount)> kCauses = {
    "input_starvation",
    "sync_item",
    "blocking_copy",
    "transfer_bound",
    "launch_bound",
    "host_work",
    "allocator",
    "compilation",
    "communication",
    "straggler",
    "profiler_overhead",
    "inherent",
    "device_wait",
    "no_launch",
};

constexpr std::array<std::string_view, 4> kAdvice = {
    "precision_fp32", "pageable_memory", "small_grid", "low_memory_use"};

}  // namespace

std::string_view id_of(Cause cause) {
  return kCauses[static_cast<std::size_t>(cause)];
}

std::string_view id_of(Advice advice) {
  return kAdvice[static_cast<std::size_t>(advice)];
}

std::optional<Cause> parse_cause(std::string_view id) {
  for (std::size_t index = 0; index < static_cast<std::size_t>(Cause::inherent); ++index) {
    if (kCauses[index] == id) {
      return static_cast<Cause>(index);
    }
  }
  return std::nullopt;
}

}  // namespace jissoku::timeline::diagnosis
