#include "jissoku/timeline/analysis/name_table.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace jissoku::timeline::analysis {
namespace {

using Key = std::pair<std::string_view, std::string_view>;

void add(std::map<Key, NameRow>& rows, const Key& key, std::int64_t time) {
  NameRow& row = rows[key];
  row.least_ns = row.count == 0 ? time : std::min(row.least_ns, time);
  row.most_ns = std::max(row.most_ns, time);
  row.time_ns += time;
  ++row.count;
}

std::vector<NameRow> sorted(std::map<Key, NameRow>& rows) {
  std::vector<NameRow> out;
  for (auto& [key, row] : rows) {
    row.name = key.first;
    row.caller = key.second;
    out.push_back(std::move(row));
  }
  std::stable_sort(out.begin(), out.end(), [](const NameRow& left, const NameRow& right) {
    return left.time_ns > right.time_ns;
  });
  return out;
}

}  // namespace

std::vector<NameRow> kernel_table(const Timeline& timeline, const DeviceActivity& activity) {
  std::map<Key, NameRow> rows;
  for (const EventId id : activity.work) {
    add(rows, {timeline.name(id), {}}, timeline.events.duration_ns[id]);
  }
  return sorted(rows);
}

std::vector<NameRow> sync_table(const HostThreads& threads, const Launches& launches) {
  std::map<Key, NameRow> rows;
  const Timeline& timeline = threads.timeline();
  for (const HostThread& thread : threads.threads()) {
    for (const EventId id : thread.events) {
      if (timeline.events.category[id] != Category::runtime) {
        continue;
      }
      const CallKind kind = launches.kind_of(id);
      if (kind != CallKind::synchronise && kind != CallKind::blocking_copy) {
        continue;
      }
      const auto op = threads.enclosing(threads.place_of(id), [&timeline](EventId event) {
        return timeline.events.category[event] == Category::cpu_op ||
               timeline.events.category[event] == Category::annotation;
      });
      add(rows,
          {timeline.name(id), op ? timeline.name(*op) : std::string_view()},
          timeline.events.duration_ns[id]);
    }
  }
  return sorted(rows);
}

}  // namespace jissoku::timeline::analysis
