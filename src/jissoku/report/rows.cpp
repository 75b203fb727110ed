#include "jissoku/report/rows.hpp"

#include <algorithm>
#include <array>

#include "jissoku/core/units.hpp"
#include "jissoku/document/derive.hpp"
#include "jissoku/numerics/data_type.hpp"

namespace jissoku::report {
namespace {

using core::message;
using document::Document;
using document::Row;
using document::RowStatus;

/// What one product is. The thread count is not among them: an accelerator beside the CPU has none.
constexpr std::array<std::string_view, 13> kProduct = {"m",
                                                       "n",
                                                       "k",
                                                       "batch",
                                                       "input",
                                                       "accumulator",
                                                       "output",
                                                       "transpose",
                                                       "alpha",
                                                       "beta",
                                                       "data",
                                                       "seed",
                                                       "cache"};

std::string product_of(const Row& row) {
  std::string key;
  for (const std::string_view name : kProduct) {
    key += parameter_text(row, name) + "/";
  }
  return key;
}

bool is_modelled(const Document& document, const Row& row) {
  const document::DeviceRecord* device = device_of(document, row);
  return device != nullptr ? device->modelled : row.device.rfind("model:", 0) == 0;
}

double rate_or_zero(const Row* row) {
  const auto rate = document::flops_per_second(*row);
  return rate ? rate->value : 0;
}

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

/// Equal up to the case of ASCII letters.
bool starts_with_word(std::string_view text, std::string_view word) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return !word.empty() && text.size() >= word.size() &&
         std::equal(
             word.begin(), word.end(), text.begin(), [&](char a, char b) { return lower(a) == lower(b); });
}

/// "oneDNN" of "oneDNN 2.6.3": the name as its makers write it.
std::string engine_name(const Row& row) {
  const document::Implementation& used = row.implementation;
  if (starts_with_word(used.library, used.variant)) {
    return used.library.substr(0, used.variant.size());
  }
  return used.variant.empty() ? used.library : used.variant;
}

std::vector<core::Message> reasons_of(const Row& row) {
  std::vector<core::Message> reasons;
  for (const core::Message& reason : {row.reason, row.verification.finding}) {
    if (!reason.empty()) {
      reasons.push_back(reason);
    }
  }
  if (reasons.empty()) {
    reasons.push_back(message("report.no_reason"));
  }
  return without_repeats(reasons);
}

std::string label_without_copies(const Row& row, const core::Catalogue& catalogue) {
  if (row.implementation.chosen) {
    return catalogue.render(message("report.chosen", {{"device", row.device}, {"engine", engine_name(row)}}));
  }
  if (row.device.empty()) {
    return "?";
  }
  const std::string suffix = ":" + row.implementation.variant;
  const bool named = row.device.size() >= suffix.size() &&
                     row.device.compare(row.device.size() - suffix.size(), suffix.size(), suffix) == 0;
  return suffix == ":" || named ? row.device : row.device + suffix;
}

/// Where a device's only usable engine stands for its choice, its row has the same samples: said once.
void drop_repeats(std::vector<const Row*>& rows) {
  const std::vector<const Row*> all = rows;
  rows.erase(std::remove_if(rows.begin(),
                            rows.end(),
                            [&](const Row* row) {
                              const document::Implementation& used = row->implementation;
                              const std::string named = row->device + ":" + used.variant;
                              return !used.chosen && !used.variant.empty() &&
                                     std::any_of(all.begin(), all.end(), [&](const Row* other) {
                                       return other->device == named &&
                                              with_copies(*other) == with_copies(*row);
                                     });
                            }),
             rows.end());
}

}  // namespace

std::vector<Block> matmul_blocks(const Document& document) {
  std::vector<Block> blocks;
  std::vector<std::string> keys;
  for (const Row& row : document.rows) {
    if (row.experiment != "matmul") {
      continue;
    }
    const bool modelled = is_modelled(document, row);
    const std::string key = (modelled ? "model/" : "measured/") + product_of(row);
    const auto known = std::find(keys.begin(), keys.end(), key);
    if (known == keys.end()) {
      keys.push_back(key);
      blocks.push_back({{&row}, modelled});
    } else {
      blocks[static_cast<std::size_t>(known - keys.begin())].rows.push_back(&row);
    }
  }
  for (Block& block : blocks) {
    drop_repeats(block.rows);
    std::stable_sort(block.rows.begin(), block.rows.end(), [](const Row* left, const Row* right) {
      return rate_or_zero(left) > rate_or_zero(right);
    });
  }
  std::stable_partition(blocks.begin(), blocks.end(), [](const Block& block) { return !block.modelled; });
  return blocks;
}

bool has_rows_of(const Document& document, std::string_view experiment) {
  return std::any_of(document.rows.begin(), document.rows.end(), [&](const Row& row) {
    return row.experiment == experiment;
  });
}

const document::DeviceRecord* device_of(const Document& document, const Row& row) {
  const document::DeviceRecord* best = nullptr;
  for (const document::DeviceRecord& record : document.header.devices) {
    const bool is_it = row.device == record.id || starts_with(row.device, record.id + ":");
    if (is_it && (best == nullptr || record.id.size() > best->id.size())) {
      best = &record;
    }
  }
  return best;
}

std::string label(const Row& row, const core::Catalogue& catalogue) {
  std::string name = label_without_copies(row, catalogue);
  return with_copies(row) ? catalogue.render(message("report.with_copies", {{"row", name}})) : name;
}

bool with_copies(const Row& row) {
  return !parameter_text(row, "copies").empty();
}

std::string engine(const Row& row) {
  const document::Implementation& used = row.implementation;
  if (!starts_with_word(used.library, used.variant)) {
    return used.library;
  }
  const std::size_t start = used.library.find_first_not_of(' ', used.variant.size());
  return start == std::string::npos ? "" : used.library.substr(start);
}

bool has_rate(const Row& row) {
  return document::flops_per_second(row).has_value();
}

core::Message absence(const Row& row) {
  switch (row.status) {
    case RowStatus::wrong:
      return message("report.absent_wrong", {{"reason", reasons_of(row)}});
    case RowStatus::error:
      return message("report.absent_error", {{"reason", reasons_of(row)}});
    case RowStatus::unsupported:
      return message("report.absent_unsupported", {{"reason", reasons_of(row)}});
    case RowStatus::skipped:
      return message("report.absent_skipped", {{"reason", reasons_of(row)}});
    case RowStatus::converged:
    case RowStatus::noisy:
    case RowStatus::ceiling:
    case RowStatus::throttled:
      break;
  }
  if (!row.verification.done) {
    return message("report.absent_unverified");
  }
  if (!row.verification.passed) {
    return message("report.absent_wrong", {{"reason", reasons_of(row)}});
  }
  return message("report.absent_rounds",
                 {{"rounds", static_cast<std::int64_t>(document::scored_times_ns(row).size())},
                  {"least", std::int64_t{numerics::kMinRounds}}});
}

std::string parameter_text(const Row& row, std::string_view name) {
  const auto value = document::parameter(row, name);
  if (!value) {
    return {};
  }
  if (const auto* text = std::get_if<std::string>(&*value)) {
    return *text;
  }
  if (const auto* integer = std::get_if<std::int64_t>(&*value)) {
    return std::to_string(*integer);
  }
  if (const auto* number = std::get_if<double>(&*value)) {
    return core::format_number(*number);
  }
  if (const auto* flag = std::get_if<bool>(&*value)) {
    return *flag ? "true" : "false";
  }
  return {};
}

std::string type_name(const std::string& text) {
  const auto type = numerics::parse_data_type(text, "");
  return type ? std::string(numerics::display_name(*type)) : text;
}

const document::Ceiling* ceiling_of(const Row& row, std::string_view kind) {
  const auto found =
      std::find_if(row.ceilings.begin(), row.ceilings.end(), [&](const document::Ceiling& ceiling) {
        return ceiling.kind == kind && ceiling.per_second > 0;
      });
  return found == row.ceilings.end() ? nullptr : &*found;
}

const Row* find_row(const Document& document, std::string_view id) {
  const auto found =
      std::find_if(document.rows.begin(), document.rows.end(), [&](const Row& row) { return row.id == id; });
  return found == document.rows.end() ? nullptr : &*found;
}

std::vector<core::Message> without_repeats(const std::vector<core::Message>& messages) {
  std::vector<core::Message> out;
  for (const core::Message& one : messages) {
    if (std::find(out.begin(), out.end(), one) == out.end()) {
      out.push_back(one);
    }
  }
  return out;
}

}  // namespace jissoku::report
