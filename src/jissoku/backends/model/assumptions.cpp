#include "jissoku/backends/model/assumptions.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace jissoku::backends::model {
namespace {

constexpr std::pair<std::string_view, std::string_view> kLinks[] = {
    {"v100_sxm2", "PCIe 3.0 x16"},
    {"h200", "PCIe 5.0 x16"},
    {"b200", "PCIe 5.0 x16"},
    {"gaudi3", "PCIe 5.0 x16"},
    {"rubin", "PCIe 6.0 x16"},
    {"tpu_v5e", "PCIe 3.0 x16"},
    {"tpu_v6e", "PCIe 3.0 x16"},
};

/// Usable each way over 16 lanes, by generation.
constexpr std::pair<int, double> kPcie[] = {{3, 16e9}, {4, 31e9}, {5, 63e9}, {6, 121e9}};

constexpr std::pair<std::string_view, std::int64_t> kUnits[] = {
    {"t4", 40},
    {"v100_sxm2", 80},
    {"a100_sxm", 108},
    {"h100_sxm", 132},
    {"h100_pcie", 114},
    {"h200", 132},
    {"b200", 148},
    {"gb200", 148},
    {"l4", 58},
    {"l40s", 142},
    {"rtx4090", 128},
    {"rtx5090", 170},
    {"mi300x", 304},
    {"mi355x", 256},
};

constexpr std::pair<std::string_view, std::string_view> kShortNames[] = {
    {"v100_sxm2", "v100"},
    {"a100_sxm", "a100"},
    {"h100_sxm", "h100"},
};

template <typename Table, typename Value>
Value look_up(const Table& table, std::string_view key, Value otherwise) {
  for (const auto& [name, value] : table) {
    if (name == key) {
      return value;
    }
  }
  return otherwise;
}

/// The number after `mark` in `text`, or 0.
double number_after(std::string_view text, std::string_view mark) {
  const std::size_t found = text.find(mark);
  return found == std::string_view::npos
             ? 0
             : std::strtod(std::string(text.substr(found + mark.size())).c_str(), nullptr);
}

}  // namespace

std::string_view assumed_link(std::string_view key) {
  return look_up(kLinks, key, std::string_view());
}

std::optional<double> link_bytes_per_second(std::string_view link) {
  // "900 GB/s" of a chip-to-chip link to the host are both directions added.
  if (const double both_ways = number_after(link, "NVLink-C2C "); both_ways > 0) {
    return both_ways / 2 * 1e9;
  }
  const auto generation = static_cast<int>(number_after(link, "PCIe "));
  const std::string_view lanes = link.substr(std::min(link.find("PCIe "), link.size()));
  for (const auto& [known, bytes_per_second] : kPcie) {
    if (known == generation) {
      const double count = number_after(lanes, " x");
      return count > 0 ? bytes_per_second * count / 16 : bytes_per_second;
    }
  }
  return std::nullopt;
}

std::int64_t compute_units(std::string_view key) {
  return look_up(kUnits, key, std::int64_t{0});
}

std::optional<double> noted_share(std::string_view key, numerics::DataType type) {
  // "sustains 37 to 50 % of its FP16 peak under its 70 W cap": the middle.
  return key == "t4" && type == numerics::DataType::f16 ? std::optional(0.435) : std::nullopt;
}

std::string_view short_name(std::string_view key) {
  return look_up(kShortNames, key, key);
}

}  // namespace jissoku::backends::model
