// What torch.profiler's key_averages() tabulates, from a saved trace and without its double counting: a
// moment of a thread belongs to the innermost operator only, nested calls of one operator count their time
// once, and device work belongs to the operator that launched it, once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jissoku/core/result.hpp"
#include "jissoku/timeline/analysis/device_activity.hpp"
#include "jissoku/timeline/analysis/host_threads.hpp"
#include "jissoku/timeline/analysis/launches.hpp"

namespace jissoku::timeline::analysis {

/// What a row stands for.
enum class Grouping {
  operators,    ///< operators, annotations and runtime calls, as key_averages()
  modules,      ///< nn.Module calls (needs a trace recorded with stacks)
  annotations,  ///< record_function, NVTX
};

struct OperatorRow {
  std::string name;    ///< empty: device work that no row launched
  std::string shapes;  ///< of the inputs, with group_by_shape
  std::int64_t count = 0;
  std::int64_t self_cpu_ns = 0, cpu_total_ns = 0;
  std::int64_t self_device_ns = 0, device_total_ns = 0;
};

struct OperatorTable {
  std::vector<OperatorRow> rows;
  std::int64_t self_cpu_ns = 0;     ///< of all rows: the union of their events, thread by thread
  std::int64_t self_device_ns = 0;  ///< of all device work in the table
};

/// The host side covers the whole trace, the device side the work of `devices`.
OperatorTable operator_table(const HostThreads& threads,
                             const Launches& launches,
                             const std::vector<DeviceActivity>& devices,
                             Grouping grouping,
                             bool by_shape);

/// By a key of torch.profiler ("cuda" stands for "device"), the largest first. Error (usage): no such key.
core::Status sort_rows(std::vector<OperatorRow>& rows, const std::string& key);

}  // namespace jissoku::timeline::analysis
