#include "jissoku/timeline/importers/chrome_categories.hpp"

#include <array>

namespace jissoku::timeline::importers {
namespace {

struct Entry {
  std::string_view name;
  Category category;
  ArgsWanted args;
  bool kept = true;
};

/// Kineto's ActivityType names of all years; HIP's calls carry "cuda_runtime".
constexpr std::array kEntries = {
    Entry{"cpu_op", Category::cpu_op, ArgsWanted::op},
    Entry{"Operator", Category::cpu_op, ArgsWanted::op},
    Entry{"user_annotation", Category::annotation, ArgsWanted::op},
    Entry{"python_function", Category::python, ArgsWanted::none},
    Entry{"cuda_runtime", Category::runtime, ArgsWanted::host_call},
    Entry{"cuda_driver", Category::runtime, ArgsWanted::host_call},
    Entry{"Runtime", Category::runtime, ArgsWanted::host_call},
    Entry{"xpu_runtime", Category::runtime, ArgsWanted::host_call},
    Entry{"xpu_driver", Category::runtime, ArgsWanted::host_call},
    Entry{"mtia_runtime", Category::runtime, ArgsWanted::host_call},
    Entry{"glow_runtime", Category::runtime, ArgsWanted::host_call},
    Entry{"privateuse1_runtime", Category::runtime, ArgsWanted::host_call},
    Entry{"privateuse1_driver", Category::runtime, ArgsWanted::host_call},
    Entry{"overhead", Category::overhead, ArgsWanted::none},
    Entry{"kernel", Category::kernel, ArgsWanted::device},
    Entry{"Kernel", Category::kernel, ArgsWanted::device},
    Entry{"gpu_memcpy", Category::memcpy, ArgsWanted::device},
    Entry{"Memcpy", Category::memcpy, ArgsWanted::device},
    Entry{"gpu_memset", Category::memset, ArgsWanted::device},
    Entry{"Memset", Category::memset, ArgsWanted::device},
    Entry{"mtia_ccp_events", Category::accelerator, ArgsWanted::device},
    Entry{"hpu_op", Category::accelerator, ArgsWanted::device},
    Entry{"cuda_sync", Category::device_sync, ArgsWanted::device},
    Entry{"xpu_sync", Category::device_sync, ArgsWanted::device},
    Entry{"gpu_user_annotation", Category::gpu_annotation, ArgsWanted::device},
    Entry{"cuda_event", Category::other_device, ArgsWanted::device},
    Entry{"collective_comm", Category::other_device, ArgsWanted::device},
    Entry{"mtia_insight", Category::other_device, ArgsWanted::none, false},
    Entry{"mtia_counters", Category::other_device, ArgsWanted::none, false},
    Entry{"hardware_counters", Category::other_device, ArgsWanted::none, false},
    Entry{"cuda_profiler_range", Category::other_device, ArgsWanted::none, false},
    Entry{"external_correlation", Category::other_host, ArgsWanted::none, false},
    Entry{"cpu_instant_event", Category::other_host, ArgsWanted::instant},
    Entry{"Trace", Category::other_host, ArgsWanted::none, false},
    Entry{"ac2g", Category::other_host, ArgsWanted::none, false},
    Entry{"async", Category::other_host, ArgsWanted::none, false},
    Entry{"fwdbwd", Category::other_host, ArgsWanted::none, false},
    Entry{"async_gpu", Category::other_host, ArgsWanted::none, false},
};

}  // namespace

CategoryRule rule_of(std::string_view category) {
  for (const Entry& entry : kEntries) {
    if (entry.name == category) {
      return {entry.category, entry.args, entry.kept, true};
    }
  }
  return {};
}

}  // namespace jissoku::timeline::importers
