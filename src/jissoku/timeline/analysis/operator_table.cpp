#include "jissoku/timeline/analysis/operator_table.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>
#include <utility>

namespace jissoku::timeline::analysis {
namespace {

constexpr std::string_view kModule = "nn.Module: ";

bool is_hidden(std::string_view name) {
  return name == "[memory]" || name.starts_with("profiler::_record_function_enter") ||
         name == "aten::is_leaf" || name == "aten::output_nr" || name == "aten::_version";
}

class Builder {
 public:
  Builder(const HostThreads& threads, const Launches& launches, Grouping grouping, bool by_shape)
      : threads_(threads),
        timeline_(threads.timeline()),
        launches_(launches),
        grouping_(grouping),
        by_shape_(by_shape) {}

  void add_host() {
    for (const HostThread& thread : threads_.threads()) {
      add_thread(thread);
    }
  }

  void add_device(const DeviceActivity& device) {
    for (const EventId id : device.work) {
      const std::int64_t time = timeline_.events.duration_ns[id];
      table_.self_device_ns += time;
      const EventId call = launches_.call_of(id);
      Place place = call == kNoEvent ? Place{} : threads_.place_of(call);
      if (!place.known()) {
        const DeviceDetail* detail = timeline_.device_detail(id);
        const EventId op = detail == nullptr ? kNoEvent : launches_.op_of_external_id(detail->external_id);
        place = op == kNoEvent ? Place{} : threads_.place_of(op);
      }
      give_device_time(place, time);
    }
  }

  OperatorTable finish() { return std::move(table_); }

 private:
  bool is_row(EventId id) const {
    const std::string_view name = timeline_.name(id);
    switch (timeline_.events.category[id]) {
      case Category::cpu_op:
      case Category::runtime:
        return grouping_ == Grouping::operators && !is_hidden(name);
      case Category::annotation:
        return grouping_ != Grouping::modules;
      case Category::python:
        return grouping_ == Grouping::modules && name.starts_with(kModule);
      default:
        return false;
    }
  }

  std::size_t row_of(EventId id) {
    const OpDetail* op = by_shape_ ? timeline_.op_detail(id) : nullptr;
    const StringId shapes = op == nullptr ? 0 : op->input_shapes;
    const auto key = (static_cast<std::uint64_t>(timeline_.events.name[id]) << 32U) | shapes;
    const auto known = by_event_name_.find(key);
    if (known != by_event_name_.end()) {
      return known->second;
    }
    std::string name(timeline_.name(id));
    name = name.starts_with("ProfilerStep#") ? "ProfilerStep*" : name;
    name = name.starts_with(kModule) ? name.substr(kModule.size()) : name;
    const std::size_t row = named_row(name, std::string(timeline_.strings[shapes]));
    by_event_name_.emplace(key, row);
    return row;
  }

  std::size_t named_row(const std::string& name, const std::string& shapes) {
    const auto [entry, inserted] = by_name_.try_emplace(name + '\0' + shapes, table_.rows.size());
    if (inserted) {
      table_.rows.push_back({.name = name, .shapes = shapes});
    }
    return entry->second;
  }

  void add_thread(const HostThread& thread) {
    HostThread rows;
    for (const EventId id : thread.events) {
      if (is_row(id)) {
        rows.events.push_back(id);
      }
    }
    const Events& events = timeline_.events;
    std::vector<std::pair<std::size_t, std::int64_t>> open;  // row and end of what encloses the event
    for (const EventId id : rows.events) {
      while (!open.empty() && open.back().second <= events.start_ns[id]) {
        open.pop_back();
      }
      const std::size_t row = row_of(id);
      const bool nested =
          std::any_of(open.begin(), open.end(), [row](const auto& outer) { return outer.first == row; });
      const bool folded = !open.empty() && open.back().first == row;  // aten::x calling aten::x is one call
      table_.rows[row].count += folded ? 0 : 1;
      table_.rows[row].cpu_total_ns += nested ? 0 : events.duration_ns[id];
      open.emplace_back(row, events.end_ns(id));
    }
    for_each_self_piece(timeline_, rows, [&](std::uint32_t position, std::int64_t begin, std::int64_t end) {
      table_.rows[row_of(rows.events[position])].self_cpu_ns += end - begin;
      table_.self_cpu_ns += end - begin;
    });
  }

  void give_device_time(Place place, std::int64_t time) {
    std::vector<std::size_t> given;
    std::size_t call_row = ~std::size_t{0};
    for (; place.known(); place = threads_.parent(place)) {
      const EventId id = threads_.event_at(place);
      if (!is_row(id)) {
        continue;
      }
      const std::size_t row = row_of(id);
      if (timeline_.events.category[id] == Category::runtime) {
        call_row = row;  // it is the operator around it that owns the work
      } else if (std::find(given.begin(), given.end(), row) == given.end()) {
        table_.rows[row].self_device_ns += given.empty() ? time : 0;
        table_.rows[row].device_total_ns += time;
        given.push_back(row);
      }
    }
    if (given.empty()) {
      const std::size_t row = call_row != ~std::size_t{0} ? call_row : named_row("", "");
      table_.rows[row].self_device_ns += time;
      table_.rows[row].device_total_ns += time;
    }
  }

  const HostThreads& threads_;
  const Timeline& timeline_;
  const Launches& launches_;
  Grouping grouping_;
  bool by_shape_;
  OperatorTable table_;
  std::unordered_map<std::uint64_t, std::size_t> by_event_name_;
  std::unordered_map<std::string, std::size_t> by_name_;
};

}  // namespace

OperatorTable operator_table(const HostThreads& threads,
                             const Launches& launches,
                             const std::vector<DeviceActivity>& devices,
                             Grouping grouping,
                             bool by_shape) {
  Builder builder(threads, launches, grouping, by_shape);
  builder.add_host();
  for (const DeviceActivity& device : devices) {
    builder.add_device(device);
  }
  return builder.finish();
}

core::Status sort_rows(std::vector<OperatorRow>& rows, const std::string& key) {
  const std::string name =
      key.find("cuda") == std::string::npos ? key : std::string(key).replace(key.find("cuda"), 4, "device");
  using Figure = std::function<std::int64_t(const OperatorRow&)>;
  const std::array<std::pair<std::string_view, Figure>, 7> keys = {{
      {"self_cpu_time_total", [](const OperatorRow& row) { return row.self_cpu_ns; }},
      {"cpu_time_total", [](const OperatorRow& row) { return row.cpu_total_ns; }},
      {"cpu_time",
       [](const OperatorRow& row) { return row.cpu_total_ns / std::max<std::int64_t>(row.count, 1); }},
      {"self_device_time_total", [](const OperatorRow& row) { return row.self_device_ns; }},
      {"device_time_total", [](const OperatorRow& row) { return row.device_total_ns; }},
      {"device_time",
       [](const OperatorRow& row) { return row.device_total_ns / std::max<std::int64_t>(row.count, 1); }},
      {"count", [](const OperatorRow& row) { return row.count; }},
  }};
  for (const auto& [known, figure] : keys) {
    if (known == name) {
      std::stable_sort(
          rows.begin(), rows.end(), [&figure = figure](const OperatorRow& left, const OperatorRow& right) {
            return figure(left) > figure(right);
          });
      return {};
    }
  }
  std::string choices;
  for (const auto& [known, figure] : keys) {
    choices += (choices.empty() ? "" : ", ") + std::string(known);
  }
  return core::make_error(
      core::ExitCode::usage, "timeline.no_such_sort", {{"text", key}, {"choices", choices}});
}

}  // namespace jissoku::timeline::analysis
