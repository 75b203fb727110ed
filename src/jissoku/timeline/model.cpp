#include "jissoku/timeline/model.hpp"

namespace jissoku::timeline {

const DeviceDetail* Timeline::device_detail(EventId id) const {
  const std::uint32_t detail = events.detail[id];
  return detail == kNone || is_host(events.category[id]) ? nullptr : &device_details[detail];
}

const CallDetail* Timeline::call_detail(EventId id) const {
  const std::uint32_t detail = events.detail[id];
  return detail == kNone || events.category[id] != Category::runtime ? nullptr : &call_details[detail];
}

const OpDetail* Timeline::op_detail(EventId id) const {
  const std::uint32_t detail = events.detail[id];
  const Category category = events.category[id];
  const bool is_op = category == Category::cpu_op || category == Category::annotation;
  return detail == kNone || !is_op ? nullptr : &op_details[detail];
}

const DeviceInfo* Timeline::device_info(std::int64_t id) const {
  for (const DeviceInfo& info : devices) {
    if (info.id == id) {
      return &info;
    }
  }
  return nullptr;
}

}  // namespace jissoku::timeline
