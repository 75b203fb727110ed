// What vendors promise: peaks from data/devices.json, embedded in the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jissoku/core/message.hpp"
#include "jissoku/core/result.hpp"
#include "jissoku/device/device.hpp"
#include "jissoku/document/model.hpp"
#include "jissoku/numerics/data_type.hpp"

namespace jissoku::experiments {

struct DatasheetPeak {
  std::string type;         ///< "f32", "f64_tensor", "fp8": the table's own names, finer than data types
  std::string accumulator;  ///< "f32"; "" unknown
  double per_second = 0;    ///< dense; 0 = unknown, see reason
  double clock_mhz = 0;     ///< the peak is computed at this clock; 0 = the source does not say
  std::string source;
  std::string reason;  ///< why the peak is unknown
};

struct DatasheetDevice {
  std::string key, name;
  bool announced = false;              ///< not on sale yet: figures are the vendor's promise
  std::vector<std::string> match;      ///< parts of device names that this entry is for
  double memory_bytes_per_second = 0;  ///< 0 = unknown
  std::vector<DatasheetPeak> peaks;
};

/// The whole table. `text` is JSON; errors (unreadable) name the key. Without argument: the embedded one.
core::Result<std::vector<DatasheetDevice>> parse_datasheets(std::string_view text);
std::vector<DatasheetDevice> embedded_datasheets();
/// The text of data/devices.json; lives as long as the program.
std::string_view embedded_datasheet_text();

/// The entry for a key, or nullptr.
const DatasheetDevice* find_datasheet(const std::vector<DatasheetDevice>& table, std::string_view key);

/// The entry of a device: by its key where it names one, else by its name, of which the longest match counts;
/// nullptr where the table has none.
const DatasheetDevice* datasheet_of(const std::vector<DatasheetDevice>& table, const device::Info& device);

/// The peak for products of `input` summed in `accumulator` as a ceiling of kind "datasheet"; per_second
/// 0 where the table has none. Where several fit (with and without tensor units) the highest.
document::Ceiling datasheet_ceiling(const DatasheetDevice& device,
                                    numerics::DataType input,
                                    numerics::DataType accumulator);

}  // namespace jissoku::experiments
