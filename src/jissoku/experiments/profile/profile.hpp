// The profile experiment: a small network run step by step on a device, every call and every piece of device
// work recorded with the ranges they belong to, and what the recording itself costs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "jissoku/core/message.hpp"
#include "jissoku/device/backend.hpp"
#include "jissoku/experiments/context.hpp"

namespace jissoku::experiments::profile {

/// What is run: y = x W^T + b, or three such layers with ReLU between them.
enum class Network { linear, mlp };
std::string_view to_string(Network network);

/// A network and the sizes it is run at.
struct Workload {
  Network network = Network::linear;
  std::int64_t batch = 32, in = 128, hidden = 512, out = 10;  ///< `hidden` of the MLP only
};

struct Params {
  Workload workload;
  std::vector<device::Selection> devices;
  int steps = 20;  ///< recorded for the table and the trace
  std::int64_t seed = 42;
  int threads = 0;                                          ///< 0 = all usable
  std::int64_t budget_ns = 20'000'000'000;                  ///< for the whole command
  std::function<bool(const std::string& row_id)> selected;  ///< --filter; empty = all
  /// How the operator table is to be shown; kept with it, so that a saved run is shown the same way.
  std::vector<core::Argument> presentation;
};

/// Per device two rows, the step as it is and the step while it is recorded, one attachment of kind
/// "timeline" (Chrome trace JSON as the PyTorch profiler writes it), and a verdict. Failing rows are rows;
/// only what stops the whole experiment is an error.
core::Status run(const Context& context, const Params& params);

}  // namespace jissoku::experiments::profile
