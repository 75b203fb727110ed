#include "jissoku/experiments/matmul/findings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "jissoku/document/derive.hpp"
#include "jissoku/numerics/data_type.hpp"

namespace jissoku::experiments::matmul {
namespace {

using core::message;
using document::Finding;
using document::Row;
using document::RowStatus;

template <typename T>
T parameter_or(const Row& row, std::string_view name, T otherwise) {
  const auto value = document::parameter(row, name);
  const T* typed = value ? std::get_if<T>(&*value) : nullptr;
  return typed == nullptr ? otherwise : *typed;
}

std::string type_of(const Row& row) {
  return parameter_or<std::string>(row, "input", "");
}

std::string type_name(const std::string& type) {
  const auto parsed = numerics::parse_data_type(type, "");
  return parsed ? std::string(numerics::display_name(*parsed)) : type;
}

std::string backend_of(const Row& row) {
  return row.device.substr(0, row.device.find(':'));
}

bool is_modelled(const Row& row, const device::Registry& registry) {
  for (const device::Backend& backend : registry.backends()) {
    if (backend.name == backend_of(row)) {
      const std::vector<device::Info> devices = backend.list().devices;
      return !devices.empty() && devices.front().modelled;
    }
  }
  return false;
}

const Row* find_row(const std::vector<Row>& rows, const std::string& id) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.id == id; });
  return found == rows.end() ? nullptr : &*found;
}

/// Of the rows that are a baseline, the one of the largest product of each type.
std::map<std::string, const Row*> best_on_host(const std::vector<Row>& rows) {
  std::map<std::string, const Row*> best;
  for (const Row& row : rows) {
    if (row.baseline != row.id || !document::flops_per_second(row)) {
      continue;
    }
    const Row*& kept = best[type_of(row)];
    if (kept == nullptr || row.flops > kept->flops) {
      kept = &row;
    }
  }
  return best;
}

Finding verdict_host(const Row& row) {
  std::vector<core::Argument> arguments = {{"rate", document::flops_per_second(row)->value},
                                           {"type", type_name(type_of(row))},
                                           {"library", row.implementation.library},
                                           {"threads", std::int64_t{row.implementation.threads}}};
  // A share whose whole interval lies above 1 is a fault of the ceiling and not worth a sentence.
  const auto share = document::share_of(row, "measured_fma");
  const bool believable = share && share->interval.low <= 1;
  if (believable) {
    arguments.push_back({"share", share->value});
  }
  return {"verdict_host/" + type_of(row),
          "info",
          message(believable ? "matmul.verdict_host" : "matmul.verdict_host_no_peak", std::move(arguments)),
          {row.id}};
}

/// Rows of other devices against the baseline of the same problem.
void add_accelerator_verdicts(const std::vector<Row>& rows, std::vector<Finding>& out) {
  for (const Row& row : rows) {
    const Row* base = find_row(rows, row.baseline);
    if (base == nullptr || backend_of(row) == backend_of(*base)) {
      continue;
    }
    if (const auto ratio = document::speed_up(*base, row)) {
      const bool copied = !parameter_or<std::string>(row, "copies", "").empty();
      out.push_back({"verdict_accelerator/" + row.id,
                     "info",
                     message(copied ? "matmul.verdict_with_copies" : "matmul.verdict_accelerator",
                             {{"device", row.device},
                              {"ratio", ratio->value},
                              {"low", ratio->interval.low},
                              {"high", ratio->interval.high},
                              {"base", base->device}}),
                     {row.id, base->id}});
    }
  }
}

/// Devices that are the host's CPU by another way, among those that were measured.
void add_same_cpu(const std::vector<Row>& rows, const device::Registry& registry, std::vector<Finding>& out) {
  for (const device::Backend& backend : registry.backends()) {
    const bool measured = std::any_of(
        rows.begin(), rows.end(), [&](const Row& row) { return backend_of(row) == backend.name; });
    if (!measured) {
      continue;
    }
    for (const device::Info& info : backend.list().devices) {
      const bool used = std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
        return row.device == info.id || row.device.rfind(info.id + ":", 0) == 0;
      });
      if (used && info.is_host && info.queued) {
        out.push_back({"same_cpu/" + info.id,
                       "info",
                       message("matmul.same_cpu", {{"device", info.id}, {"name", info.name}}),
                       {}});
      }
    }
  }
}

/// The quickest row of each device and product, by the data it was filled with.
std::map<std::string, std::map<std::string, const Row*>> best_by_data(const std::vector<Row>& rows) {
  std::map<std::string, std::map<std::string, const Row*>> best;
  for (const Row& row : rows) {
    const auto time = document::time_ns(row);
    if (!time || !parameter_or<std::string>(row, "copies", "").empty()) {
      continue;
    }
    Row plain = row;
    const std::string data = parameter_or<std::string>(row, "data", "normal");
    for (core::Argument& argument : plain.parameters) {
      if (argument.name == "data") {
        argument.value = std::string("normal");
      }
    }
    const Row*& kept = best[document::row_id(plain)][data];
    kept = kept == nullptr || time->value < document::time_ns(*kept)->value ? &row : kept;
  }
  return best;
}

/// What the data do to the speed: not of one round, so the intervals add up in quadrature.
void add_data_dependence(const std::vector<Row>& rows, std::vector<Finding>& out) {
  for (const auto& [id, by_data] : best_by_data(rows)) {
    const auto base = by_data.find("normal");
    for (const auto& [data, row] : by_data) {
      if (base == by_data.end() || data == "normal") {
        continue;
      }
      const auto slow = document::time_ns(*base->second), other = document::time_ns(*row);
      const double ratio = slow->value / other->value;
      const double half = std::hypot(slow->relative_half_width(), other->relative_half_width());
      out.push_back({"data_dependence/" + row->id,
                     "info",
                     message("matmul.data_dependence",
                             {{"device", row->device},
                              {"data", data},
                              {"ratio", ratio},
                              {"low", ratio * std::exp(-half)},
                              {"high", ratio * std::exp(half)}}),
                     {base->second->id, row->id}});
    }
  }
}

void add_failures(const std::vector<Row>& rows, std::vector<Finding>& out) {
  for (const Row& row : rows) {
    if (row.status == RowStatus::wrong) {
      out.push_back({"wrong/" + row.id,
                     "failure",
                     message("matmul.wrong",
                             {{"device", row.device}, {"reasons", std::vector<core::Message>{row.reason}}}),
                     {row.id}});
    }
  }
}

/// Fewer than eight operations per byte: memory, not arithmetic, is what such a product waits for.
void add_memory_bound(const std::vector<Row>& rows, std::vector<Finding>& out) {
  for (const Row& row : rows) {
    if (row.baseline != row.id || !document::flops_per_second(row)) {
      continue;
    }
    double fma = 0;
    double memory = 0;
    for (const document::Ceiling& ceiling : row.ceilings) {
      fma = ceiling.kind == "measured_fma" ? ceiling.per_second : fma;
      memory = ceiling.kind == "measured_memory" ? ceiling.per_second : memory;
    }
    const double intensity = row.flops / row.bytes;
    if (fma > 0 && memory > 0 && intensity * memory < fma) {
      out.push_back({"memory_bound/" + row.id,
                     "info",
                     message("matmul.memory_bound",
                             {{"m", parameter_or<std::int64_t>(row, "m", 0)},
                              {"n", parameter_or<std::int64_t>(row, "n", 0)},
                              {"k", parameter_or<std::int64_t>(row, "k", 0)},
                              {"type", type_name(type_of(row))},
                              {"intensity", intensity},
                              {"rate", intensity * memory},
                              {"bandwidth", memory}}),
                     {row.id}});
    }
  }
}

void add_no_accelerator(const device::Registry& registry, std::vector<Finding>& out) {
  std::vector<core::Message> reasons;
  for (const device::Backend& backend : registry.backends()) {
    const device::Listing listing = backend.list();
    const bool has_accelerator =
        std::any_of(listing.devices.begin(), listing.devices.end(), [](const device::Info& info) {
          return !info.is_host && !info.modelled;
        });
    if (has_accelerator) {
      return;
    }
    if (listing.devices.empty()) {
      reasons.insert(reasons.end(), listing.reasons.begin(), listing.reasons.end());
    }
    for (const device::Info& info : listing.devices) {
      if (info.is_host && info.queued) {
        reasons.push_back(message("matmul.is_this_cpu", {{"device", info.id}, {"name", info.name}}));
      }
    }
  }
  out.push_back({"no_accelerator", "info", message("matmul.no_accelerator", {{"reasons", reasons}}), {}});
}

}  // namespace

std::vector<Finding> findings(const std::vector<Row>& all, const device::Registry& registry) {
  std::vector<Row> rows, modelled;
  for (const Row& row : all) {
    if (row.experiment == "matmul") {
      (is_modelled(row, registry) ? modelled : rows).push_back(row);
    }
  }
  std::vector<Finding> out;
  add_failures(rows, out);
  add_failures(modelled, out);
  for (const auto& [type, row] : best_on_host(rows)) {
    out.push_back(verdict_host(*row));
  }
  add_accelerator_verdicts(rows, out);
  add_same_cpu(rows, registry, out);
  add_data_dependence(rows, out);
  add_memory_bound(rows, out);
  add_no_accelerator(registry, out);
  return out;
}

}  // namespace jissoku::experiments::matmul
