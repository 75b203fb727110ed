#include "jissoku/experiments/datasheet.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include <nlohmann/json.hpp>

namespace jissoku::embedded {
extern const std::string_view devices_json;
}

namespace jissoku::experiments {
namespace {

using nlohmann::json;
using numerics::DataType;

/// null and absent both mean unknown.
template <typename T>
T known_or(const json& object, const char* key, T unknown) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? unknown : found->get<T>();
}

DatasheetPeak read_peak(const json& object) {
  DatasheetPeak peak;
  peak.type = object.at("type").get<std::string>();
  peak.accumulator = known_or<std::string>(object, "accumulator", "");
  peak.per_second = known_or<double>(object, "per_second", 0);
  peak.clock_mhz = known_or<double>(object, "clock_mhz", 0);
  peak.source = known_or<std::string>(object, "source", "");
  peak.reason = known_or<std::string>(object, "reason", "");
  return peak;
}

DatasheetDevice read_device(const json& object) {
  DatasheetDevice device;
  device.key = object.at("key").get<std::string>();
  device.name = object.at("name").get<std::string>();
  device.announced = known_or(object, "announced", false);
  device.match = object.at("match").get<std::vector<std::string>>();
  device.memory_bytes_per_second = known_or<double>(object, "memory_bytes_per_second", 0);
  for (const json& peak : object.at("peaks")) {
    device.peaks.push_back(read_peak(peak));
  }
  return device;
}

bool is_peak_of(const DatasheetPeak& peak, DataType input, DataType accumulator) {
  const bool fp8 = input == DataType::e4m3 || input == DataType::e5m2;
  const bool fp6 = input == DataType::e3m2 || input == DataType::e2m3;
  const std::string_view name = numerics::to_string(input);
  const bool type_fits = fp8                       ? peak.type == "fp8"
                         : fp6                     ? peak.type == "fp6"
                         : input == DataType::e2m1 ? peak.type == "fp4"
                         : input == DataType::i8   ? peak.type == "int8"
                         : input == DataType::f64  ? peak.type == "f64" || peak.type == "f64_tensor"
                                                   : peak.type == name;
  return type_fits && peak.per_second > 0 && peak.accumulator == numerics::to_string(accumulator);
}

}  // namespace

core::Result<std::vector<DatasheetDevice>> parse_datasheets(std::string_view text) {
  try {
    std::vector<DatasheetDevice> table;
    const json root = json::parse(text);
    for (const json& device : root.at("devices")) {
      table.push_back(read_device(device));
    }
    return table;
  } catch (const json::exception& failure) {
    return core::make_error(
        core::ExitCode::unreadable, "datasheet.unreadable", {{"reason", std::string(failure.what())}});
  }
}

std::string_view embedded_datasheet_text() {
  return embedded::devices_json;
}

std::vector<DatasheetDevice> embedded_datasheets() {
  auto table = parse_datasheets(embedded_datasheet_text());
  assert(table.ok());  // a test parses the embedded text
  return table ? std::move(*table) : std::vector<DatasheetDevice>{};
}

const DatasheetDevice* find_datasheet(const std::vector<DatasheetDevice>& table, std::string_view key) {
  const auto found = std::find_if(
      table.begin(), table.end(), [key](const DatasheetDevice& device) { return device.key == key; });
  return found == table.end() ? nullptr : &*found;
}

const DatasheetDevice* datasheet_of(const std::vector<DatasheetDevice>& table, const device::Info& device) {
  if (!device.datasheet.empty()) {
    return find_datasheet(table, device.datasheet);
  }
  const DatasheetDevice* best = nullptr;
  std::size_t length = 0;
  for (const DatasheetDevice& entry : table) {
    for (const std::string& part : entry.match) {
      if (part.size() > length && device.name.find(part) != std::string::npos) {
        best = &entry;
        length = part.size();
      }
    }
  }
  return best;
}

document::Ceiling datasheet_ceiling(const DatasheetDevice& device, DataType input, DataType accumulator) {
  document::Ceiling ceiling{"datasheet", 0, device.name, "datasheet"};
  for (const DatasheetPeak& peak : device.peaks) {
    if (is_peak_of(peak, input, accumulator) && peak.per_second > ceiling.per_second) {
      ceiling.per_second = peak.per_second;
      ceiling.detail =
          device.name + ", " + peak.type + ", " +
          (peak.clock_mhz > 0 ? std::to_string(static_cast<int>(peak.clock_mhz)) + " MHz, " : "") +
          peak.source;
    }
  }
  return ceiling;
}

}  // namespace jissoku::experiments
