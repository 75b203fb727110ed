#include "jissoku/report/figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "jissoku/core/units.hpp"

namespace jissoku::report {
namespace {

using numerics::Estimate;

struct Unit {
  double size;
  std::string_view name;
};

constexpr std::array<Unit, 4> kTimes{{{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}}};
constexpr std::array<Unit, 4> kRates{{{1e6, "MFLOPS"}, {1e9, "GFLOPS"}, {1e12, "TFLOPS"}, {1e15, "PFLOPS"}}};
/// A column keeps one unit while its numbers lie between these.
constexpr double kMostInUnit = 10'000;
constexpr double kLeastInUnit = 0.001;

const Unit& unit_of(std::span<const Unit> units, double value) {
  const Unit* best = &units.front();
  for (const Unit& unit : units) {
    if (value >= unit.size) {
      best = &unit;
    }
  }
  return *best;
}

/// The one unit for all figures; nullptr where they lie too far apart.
const Unit* common_unit(std::span<const Unit> units, const Figures& figures) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const auto& figure : figures) {
    if (is_printable(figure)) {
      least = std::min(least, figure->value);
      most = std::max(most, figure->value);
    }
  }
  if (const Unit& unit = unit_of(units, least); most / unit.size < kMostInUnit) {
    return &unit;
  }
  const Unit& unit = unit_of(units, most);
  return least / unit.size >= kLeastInUnit ? &unit : nullptr;
}

int digits_of(const Estimate& figure) {
  const double half_width = figure.relative_half_width();
  return std::isfinite(half_width) ? core::digits_for_relative_half_width(half_width) : 1;
}

/// Decimals that leave `digits` significant digits, after rounding to them: 999.96 with 4 digits is 1000.
int decimals_of(double value, int digits) {
  const std::string rounded = fmt::format("{:.{}e}", value, std::max(0, digits - 1));
  const int exponent = std::stoi(rounded.substr(rounded.find('e') + 1));
  return std::max(0, digits - 1 - exponent);
}

std::string number(double value, int digits) {
  return fmt::format("{:.{}f}", value, decimals_of(value, digits));
}

/// Blanks after the fraction, so that the decimal points of right-aligned numbers meet.
void align_points(std::vector<std::string>& numbers) {
  const auto fraction = [](const std::string& text) {
    const std::size_t point = text.find('.');
    return point == std::string::npos ? std::size_t{0} : text.size() - point;
  };
  std::size_t longest = 0;
  for (const std::string& text : numbers) {
    longest = std::max(longest, fraction(text));
  }
  for (std::string& text : numbers) {
    if (!text.empty()) {
      text.append(longest - fraction(text), ' ');
    }
  }
}

std::vector<std::string> format_quantities(std::span<const Unit> units, const Figures& figures) {
  const Unit* common = common_unit(units, figures);
  std::vector<std::string> out;
  for (const auto& figure : figures) {
    if (!is_printable(figure)) {
      out.emplace_back();
      continue;
    }
    const Unit& unit = common != nullptr ? *common : unit_of(units, figure->value);
    out.push_back(number(figure->value / unit.size, digits_of(*figure)));
  }
  align_points(out);
  for (std::size_t index = 0; index < out.size(); ++index) {
    if (!out[index].empty()) {
      const Unit& unit = common != nullptr ? *common : unit_of(units, figures[index]->value);
      out[index] += fmt::format(" {}", unit.name);
    }
  }
  return out;
}

/// Decimals of a ratio and of its interval: at most two, none from 100 on.
int ratio_decimals(const Estimate& ratio) {
  return std::min(2, decimals_of(ratio.value, std::clamp(digits_of(ratio), 2, 3)));
}

template <typename Format>
std::vector<std::string> format_each(const Figures& figures, const Format& format) {
  std::vector<std::string> out;
  for (const auto& figure : figures) {
    out.push_back(is_printable(figure) ? format(*figure) : std::string());
  }
  return out;
}

}  // namespace

bool is_printable(const std::optional<Estimate>& figure) {
  return figure && std::isfinite(figure->value) && figure->value > 0;
}

std::vector<std::string> format_times(const Figures& times_ns) {
  return format_quantities(kTimes, times_ns);
}

std::vector<std::string> format_rates(const Figures& rates_flops) {
  return format_quantities(kRates, rates_flops);
}

std::vector<std::string> format_ratios(const Figures& ratios) {
  return format_each(ratios, [](const Estimate& ratio) {
    return fmt::format("{:.{}f}x", ratio.value, ratio_decimals(ratio));
  });
}

std::vector<std::string> format_ranges(const Figures& ratios) {
  return format_each(ratios, [](const Estimate& ratio) {
    const auto [low, high] = ratio.interval;
    if (low == high || !std::isfinite(low) || !std::isfinite(high)) {
      return std::string();
    }
    const int decimals = ratio_decimals(ratio);
    return fmt::format("{:.{}f}..{:.{}f}", low, decimals, high, decimals);
  });
}

std::vector<std::string> format_shares(const Figures& shares) {
  return format_each(shares, [](const Estimate& share) { return core::format_percent(share.value); });
}

std::vector<std::string> format_half_widths(const Figures& figures) {
  return format_each(figures, [](const Estimate& figure) {
    const double half_width = figure.relative_half_width();
    return std::isfinite(half_width) ? "\u00b1" + core::format_percent(half_width) : std::string();
  });
}

std::string format_time(const Estimate& time_ns) {
  return format_times({time_ns}).front();
}

std::string format_rate(const Estimate& rate_flops) {
  return format_rates({rate_flops}).front();
}

}  // namespace jissoku::report
