#include "jissoku/cli/profile_options.hpp"

#include <array>
#include <limits>

#include "jissoku/timeline/analysis/operator_table.hpp"

namespace jissoku::cli {
namespace {

using core::ExitCode;
using core::make_error;
using experiments::profile::Network;
using experiments::profile::Params;

core::Status take_sizes(const Parsed& parsed, Params& params) {
  constexpr std::int64_t kMostSteps = 1000;  // a trace of more is no longer looked at
  std::int64_t steps = 0;
  struct Size {
    std::string_view flag;
    std::int64_t most;
    std::int64_t* to;
  };
  for (const Size& size : std::array{Size{"batch", kMaxDimension, &params.workload.batch},
                                     Size{"in", kMaxDimension, &params.workload.in},
                                     Size{"hidden", kMaxDimension, &params.workload.hidden},
                                     Size{"out", kMaxDimension, &params.workload.out},
                                     Size{"steps", kMostSteps, &steps}}) {
    const auto value = integer(parsed, size.flag, 1, size.most);
    if (!value) {
      return value.error();
    }
    *size.to = *value;
  }
  params.steps = static_cast<int>(steps);
  return {};
}

/// How the table is shown, checked before anything is measured.
core::Status take_presentation(const Parsed& parsed, Params& params) {
  if (const auto key = parsed.get("sort")) {
    std::vector<timeline::analysis::OperatorRow> none;
    if (auto known = timeline::analysis::sort_rows(none, *key); !known) {
      return known;
    }
    params.presentation.push_back({"sort", *key});
  }
  if (parsed.has("limit")) {
    const auto limit = integer(parsed, "limit", 0, std::numeric_limits<int>::max());
    if (!limit) {
      return limit.error();
    }
    params.presentation.push_back({"limit", *limit});
  }
  if (parsed.has("group-by-shape")) {
    params.presentation.push_back({"by_shape", std::string("yes")});
  }
  return {};
}

}  // namespace

core::Result<Params> profile_params(const Parsed& parsed, const MeasureOptions& measure) {
  Params params;
  const std::string& network = parsed.operands.front();
  if (network != "linear" && network != "mlp") {
    return make_error(ExitCode::usage, "profile.unknown_network", {{"text", network}});
  }
  params.workload.network = network == "mlp" ? Network::mlp : Network::linear;
  if (params.workload.network == Network::linear && parsed.has("hidden")) {
    return make_error(ExitCode::usage, "profile.hidden_of_mlp");
  }
  for (const core::Status& taken : {take_sizes(parsed, params), take_presentation(parsed, params)}) {
    if (!taken) {
      return taken.error();
    }
  }
  params.devices = measure.devices;
  params.seed = measure.seed;
  params.threads = measure.threads;
  params.budget_ns = measure.budget_ns;
  params.selected = measure.selected;
  if (parsed.has("trace") && params.devices.size() > 1) {
    return make_error(
        ExitCode::usage, "profile.one_trace", {{"count", static_cast<std::int64_t>(params.devices.size())}});
  }
  return params;
}

core::Message describe_profile(const Params& params) {
  std::string devices;
  for (const device::Selection& selection : params.devices) {
    devices += (devices.empty() ? "" : ", ") + selection.id;
    devices += selection.variant.empty() ? "" : ":" + selection.variant;
  }
  const auto& work = params.workload;
  const std::string hidden = std::to_string(work.hidden);
  const std::string middle =
      work.network == Network::mlp ? " -> " + hidden + " -> " + hidden + " -> " : " -> ";
  return core::message("cli.describe_profile",
                       {{"network", std::string(to_string(work.network))},
                        {"sizes", std::to_string(work.in) + middle + std::to_string(work.out)},
                        {"batch", work.batch},
                        {"seed", params.seed},
                        {"steps", std::int64_t{params.steps}},
                        {"devices", devices}});
}

}  // namespace jissoku::cli
