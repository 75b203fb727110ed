#include "jissoku/backends/model/table.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "jissoku/backends/model/assumptions.hpp"
#include "jissoku/core/hash.hpp"

namespace jissoku::backends::model {
namespace {

using core::message;
using core::Message;
using nlohmann::json;
using numerics::DataType;

constexpr DataType kTypes[] = {DataType::f64, DataType::f32, DataType::tf32, DataType::f16, DataType::bf16};

std::string shown(DataType type) {
  return std::string(numerics::display_name(type));
}

/// null and absent both mean unknown.
template <typename T>
T known_or(const json& object, const char* key, T unknown) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? unknown : found->get<T>();
}

device::Info describe(const std::string& name, const std::string& shown_name) {
  device::Info info;
  info.id = "model:" + name;
  info.name = shown_name + " (model)";
  info.backend = "model";
  info.fingerprint = info.id;
  info.queued = true;
  info.modelled = true;
  return info;
}

/// The table's reasons are few, and each has a text of its own that can be translated.
Message why_no_rate(const std::string& id, DataType type, const std::string& reason) {
  const std::vector<core::Argument> args = {{"device", id}, {"type", shown(type)}};
  if (reason == "no such arithmetic in this hardware") {
    return message("model.no_arithmetic", args);
  }
  if (reason.empty() || reason == "not given in the sources read") {
    return message("model.rate_unknown", args);
  }
  return message("model.no_rate", {{"device", id}, {"type", shown(type)}, {"reason", reason}});
}

/// Published by type; the tensor formats share their units, so that one of them stands for all.
double reachable_share(const json& device, DataType type, double peak) {
  const std::string key = device.at("key").get<std::string>();
  if (const auto noted = noted_share(key, type)) {
    return *noted;
  }
  const auto share_of = [&](DataType published, double its_peak) {
    for (const json& one : device.at("reachable")) {
      if (one.at("type").get<std::string>() == numerics::to_string(published) && its_peak > 0) {
        return one.at("per_second").get<double>() / its_peak;
      }
    }
    return 0.0;
  };
  double share = share_of(type, peak);
  if (share == 0 && (type == DataType::f16 || type == DataType::tf32)) {
    for (const json& one : device.at("peaks")) {
      if (one.at("type").get<std::string>() == "bf16") {
        share = share_of(DataType::bf16, known_or<double>(one, "per_second", 0));
      }
    }
  }
  return share > 0 ? share : kReachableShare;
}

/// With FP32 sums (FP64 for FP64); FP64 on whichever units do it faster.
Rate rate_of(const json& device, const std::string& id, DataType type) {
  const std::string accumulator = type == DataType::f64 ? "f64" : "f32";
  Rate rate;
  std::string reason;
  for (const json& peak : device.at("peaks")) {
    const auto name = peak.at("type").get<std::string>();
    if (name == numerics::to_string(type)) {
      reason = known_or<std::string>(peak, "reason", "");
    }
    const bool fits = name == numerics::to_string(type) || (type == DataType::f64 && name == "f64_tensor");
    if (fits && known_or<std::string>(peak, "accumulator", "") == accumulator) {
      rate.flops_per_second = std::max(rate.flops_per_second, known_or<double>(peak, "per_second", 0));
    }
  }
  if (rate.flops_per_second == 0) {
    rate.reason = why_no_rate(id, type, reason);
    return rate;
  }
  rate.reachable_share = reachable_share(device, type, rate.flops_per_second);
  return rate;
}

void set_link(Model& model, const std::string& key, const std::string& published) {
  const std::string_view assumed = assumed_link(key);
  model.link = assumed.empty() ? published : std::string(assumed);
  std::optional<double> usable = link_bytes_per_second(model.link);
  if (!usable) {
    model.link = "PCIe 4.0 x16";
    usable = link_bytes_per_second(model.link);
  }
  if (model.link != published) {
    model.info.notes.push_back(message("model.link_assumed", {{"link", model.link}}));
  }
  Parameters& parameters = model.parameters;
  parameters.pinned_bytes_per_second = kPinnedShare * *usable;
  parameters.pageable_bytes_per_second =
      std::min(kPageableShare * parameters.pinned_bytes_per_second, kStagingBytesPerSecond);
}

void set_assumptions(Parameters& parameters, const std::string& key) {
  parameters.memory_reachable_share = kMemoryReachableShare;
  parameters.tile = {kTileEdge, kTileEdge, kTileDepth};
  parameters.compute_units = compute_units(key);
  parameters.call_ns = kCallNs;
  parameters.synchronise_ns = kSynchroniseNs;
  parameters.launch_latency_ns = kLaunchLatencyNs;
  parameters.copy_latency_ns = kCopyLatencyNs;
  parameters.noise_sigma = kNoiseSigma;
  parameters.launch_jitter_ns = kLaunchJitterNs;
  parameters.seed = core::fnv1a(key);
  parameters.clock_offset_ns = kClockOffsetNs;
}

Model model_of(const json& device) {
  const auto key = device.at("key").get<std::string>();
  Model model;
  model.info = describe(std::string(short_name(key)), device.at("name").get<std::string>());
  model.info.datasheet = key;
  Parameters& parameters = model.parameters;
  set_assumptions(parameters, key);
  for (const DataType type : kTypes) {
    parameters.rates[type] = rate_of(device, model.info.id, type);
  }
  parameters.memory_bytes_per_second = known_or<double>(device, "memory_bytes_per_second", 0);
  parameters.memory_bytes = static_cast<std::int64_t>(known_or<double>(device, "memory_bytes", 0));
  model.info.memory_bytes = parameters.memory_bytes;
  model.info.compute_units = static_cast<int>(parameters.compute_units);
  if (known_or(device, "announced", false)) {
    model.info.notes.push_back(message("model.announced"));
  }
  set_link(model, key, known_or<std::string>(device, "link", ""));
  return model;
}

bool can_be_modelled(const Model& model) {
  const auto& rates = model.parameters.rates;
  return model.parameters.memory_bytes_per_second > 0 && model.parameters.memory_bytes > 0 &&
         std::any_of(
             rates.begin(), rates.end(), [](const auto& one) { return one.second.flops_per_second > 0; });
}

}  // namespace

Model baseline_model() {
  Model model;
  model.info = describe("cpu", "Closed-form baseline");
  Parameters& parameters = model.parameters;
  for (const DataType type : kTypes) {
    parameters.rates[type].reason =
        message("model.no_arithmetic", {{"device", model.info.id}, {"type", shown(type)}});
  }
  parameters.rates[DataType::f32] = {100e9, 1, {}};
  parameters.rates[DataType::f64] = {50e9, 1, {}};
  parameters.memory_bytes_per_second = 20e9;
  parameters.memory_bytes = 16'000'000'000;
  parameters.pinned_bytes_per_second = 10e9;
  parameters.pageable_bytes_per_second = 5e9;
  parameters.call_ns = 1000;
  parameters.launch_latency_ns = 10'000;
  parameters.copy_latency_ns = 10'000;
  model.info.memory_bytes = parameters.memory_bytes;
  return model;
}

core::Result<std::vector<Model>> table_models(std::string_view text) {
  try {
    std::vector<Model> models;
    const json root = json::parse(text);
    for (const json& device : root.at("devices")) {
      if (Model model = model_of(device); can_be_modelled(model)) {
        models.push_back(std::move(model));
      }
    }
    return models;
  } catch (const json::exception& failure) {
    return core::make_error(
        core::ExitCode::unreadable, "model.table_unreadable", {{"reason", std::string(failure.what())}});
  }
}

}  // namespace jissoku::backends::model
