// The models on offer: those of data/devices.json whose arithmetic and memory are known, and a baseline
// of round numbers.
#pragma once

#include <string_view>
#include <vector>

#include "jissoku/backends/model/parameters.hpp"
#include "jissoku/core/result.hpp"
#include "jissoku/device/device.hpp"

namespace jissoku::backends::model {

struct Model {
  device::Info info;
  Parameters parameters;
  std::string link;  ///< to the host, as assumed; "" for the baseline
};

/// "model:cpu": 100 GFLOPS in FP32 and 50 in FP64 of which all is reachable, 20 GB/s of memory, copies at
/// 10 GB/s (pageable 5), 1 us for a call, 10 us for a launch or copy, no tiles, no noise.
Model baseline_model();

/// `text` is data/devices.json; entries without memory bandwidth or without any rate are left out. Errors
/// (unreadable) say what is wrong.
core::Result<std::vector<Model>> table_models(std::string_view text);

}  // namespace jissoku::backends::model
