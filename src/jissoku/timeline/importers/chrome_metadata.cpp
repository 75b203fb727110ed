#include "jissoku/timeline/importers/chrome_metadata.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace jissoku::timeline::importers {
namespace {

using nlohmann::json;

std::int64_t integer(const json& object, const char* key, std::int64_t otherwise) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : otherwise;
}

int small(const json& object, const char* key) {
  constexpr std::int64_t kMost = 1 << 30;
  return static_cast<int>(std::clamp<std::int64_t>(integer(object, key, 0), 0, kMost));
}

void take_devices(const json& list, Timeline& timeline) {
  if (!list.is_array()) {
    return;
  }
  for (const json& item : list) {
    if (!item.is_object()) {
      continue;
    }
    DeviceInfo info;
    info.id = integer(item, "id", static_cast<std::int64_t>(timeline.devices.size()));
    info.name = item.contains("name") && item["name"].is_string() ? item["name"].get<std::string>() : "";
    info.memory_bytes = std::max<std::int64_t>(integer(item, "totalGlobalMem", 0), 0);
    info.compute_major = small(item, "computeMajor");
    info.compute_minor = small(item, "computeMinor");
    info.multiprocessors = small(item, "numSms");
    info.warp_size = small(item, "warpSize");
    timeline.devices.push_back(std::move(info));
  }
}

}  // namespace

bool is_wanted_metadata(std::string_view name) {
  constexpr std::array<std::string_view, 7> kWanted = {"deviceProperties",
                                                       "producer",
                                                       "computeProperties",
                                                       "distributedInfo",
                                                       "baseTimeNanoseconds",
                                                       "record_shapes",
                                                       "schemaVersion"};
  return std::find(kWanted.begin(), kWanted.end(), name) != kWanted.end();
}

void take_metadata(std::string_view name, const std::string& value, Timeline& timeline) {
  const json parsed = json::parse(value, nullptr, false);
  if (parsed.is_discarded()) {
    return;
  }
  const auto kineto_unless_ours = [&timeline] {
    timeline.format = timeline.format == Format::jissoku ? Format::jissoku : Format::kineto;
  };
  if (name == "deviceProperties" || name == "computeProperties") {
    take_devices(parsed, timeline);
    kineto_unless_ours();
  } else if (name == "producer" && parsed == "jissoku") {
    timeline.format = Format::jissoku;
  } else if (name == "distributedInfo" && parsed.is_object()) {
    timeline.rank = integer(parsed, "rank", -1);
    timeline.world_size = integer(parsed, "world_size", -1);
  } else if (name == "baseTimeNanoseconds" && parsed.is_number_integer()) {
    timeline.base_time_ns = parsed.get<std::int64_t>();
  } else if (name == "schemaVersion") {
    kineto_unless_ours();
  }
}

}  // namespace jissoku::timeline::importers
