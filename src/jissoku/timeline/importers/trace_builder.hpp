// Puts events of any format into a Timeline: lanes, details, categories.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "jissoku/timeline/model.hpp"

namespace jissoku::timeline::importers {

class TraceBuilder {
 public:
  explicit TraceBuilder(Timeline& timeline) : timeline_(timeline) {}

  Timeline& timeline() { return timeline_; }

  std::uint32_t host_lane(const Tag& process, const Tag& thread);
  /// Work and what only lies on a device's rows (waits, mirrored ranges) have lanes of their own.
  std::uint32_t device_lane(std::int64_t device, std::int64_t stream, bool work);

  EventId add(
      Category category, StringId name, std::uint32_t lane, std::int64_t start_ns, std::int64_t duration_ns);
  /// Details of the event added last.
  void detail(const DeviceDetail& detail);
  void detail(const CallDetail& detail);
  void detail(const OpDetail& detail);

 private:
  struct Key {
    std::int64_t first, second;
    std::uint8_t kind;
    bool operator==(const Key&) const = default;
  };
  struct HashKey {
    std::size_t operator()(const Key& key) const;
  };
  std::uint32_t lane(const Key& key, bool& is_new);

  Timeline& timeline_;
  std::unordered_map<Key, std::uint32_t, HashKey> lanes_;
  Key last_key_ = {0, 0, 0xFF};
  std::uint32_t last_lane_ = 0;
};

/// Name and ends of a copy from CUPTI's text: "Memcpy HtoD (Pageable -> Device)".
void read_copy_name(std::string_view name, DeviceDetail& detail);

}  // namespace jissoku::timeline::importers
