#include "jissoku/numerics/accumulate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace jissoku::numerics {
namespace {

// Turing's step is the depth of its instruction: 8 for FP16 (mma.m16n8k8).
constexpr std::array<AccumulatorModel, 7> kModels = {{{"volta", 23, 4, false},
                                                      {"turing", 24, 8, false},
                                                      {"ampere", 24, 8, false},
                                                      {"ada_fp8", 13, 16, true},
                                                      {"hopper", 25, 16, false},
                                                      {"hopper_fp8", 13, 32, true},
                                                      {"blackwell", 25, 16, false}}};

constexpr int kLowestExponent = -126;

/// A finite value as significand * 2^(exponent - 23); subnormals have the lowest exponent.
struct Parts {
  std::int64_t significand = 0;  ///< with sign
  int exponent = 0;
};

Parts parts_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto field = static_cast<int>(bits >> 23U & 0xFFU);
  const std::int64_t fraction = bits & 0x7FFFFFU;
  const std::int64_t magnitude = field == 0 ? fraction : fraction | 0x800000;
  return {bits >> 31U != 0 ? -magnitude : magnitude, std::max(field - 127, kLowestExponent)};
}

float canonical_nan() {
  return std::bit_cast<float>(std::uint32_t{0x7FFFFFFF});
}

/// |value| * 2^places, cut off toward zero.
std::int64_t shifted(std::int64_t value, int places) {
  if (places >= 0) {
    return value * (std::int64_t{1} << static_cast<unsigned>(places));
  }
  const std::int64_t divisor = std::int64_t{1} << static_cast<unsigned>(std::min(-places, 62));
  return value / divisor;
}

/// sum * 2^exponent, cut off to `fraction_bits` below the leading one and to the values of FP32.
float cut_off(std::int64_t sum, int exponent, int fraction_bits) {
  if (sum == 0) {
    return 0.0F;
  }
  const auto magnitude = static_cast<std::uint64_t>(std::abs(sum));
  const int leading = static_cast<int>(std::bit_width(magnitude)) - 1;
  if (leading + exponent > 127) {
    return std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(sum));
  }
  // The last bit kept: that of the significand, or of the smallest subnormal.
  const int last = std::max(leading + exponent - fraction_bits, kLowestExponent - 23);
  const auto drop = static_cast<unsigned>(std::clamp(last - exponent, 0, 63));
  const auto kept = static_cast<double>(magnitude >> drop << drop);  // at most 24 bits: exact
  const double value = std::ldexp(kept, exponent);
  return static_cast<float>(sum < 0 ? -value : value);
}

/// The result where a term is not finite; nothing where all are.
std::optional<float> special(std::span<const float> a, std::span<const float> b, float c) {
  float sum = std::isfinite(c) ? 0.0F : c;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) {
      sum += a[i] * b[i];
    }
  }
  if (std::isnan(sum)) {
    return canonical_nan();
  }
  return std::isinf(sum) ? std::optional(sum) : std::nullopt;
}

}  // namespace

std::span<const AccumulatorModel> accumulator_models() {
  return kModels;
}

std::optional<AccumulatorModel> find_accumulator(std::string_view name) {
  for (const AccumulatorModel& model : kModels) {
    if (model.name == name) {
      return model;
    }
  }
  return std::nullopt;
}

float fused_step(std::span<const float> a, std::span<const float> b, float c, const AccumulatorModel& model) {
  assert(a.size() == b.size() && a.size() <= 64);
  if (const std::optional<float> result = special(a, b, c)) {
    return *result;
  }
  struct Term {
    std::int64_t value;  ///< times 2^(exponent - scale)
    int exponent, scale;
  };
  std::array<Term, 65> terms{};
  std::size_t count = 0;
  int largest = std::numeric_limits<int>::min();
  const auto take = [&](const Term& term) {
    if (term.value != 0) {
      largest = std::max(largest, term.exponent);
      terms[count++] = term;
    }
  };
  const Parts old = parts_of(c);
  take({old.significand, old.exponent, 23});
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Parts left = parts_of(a[i]), right = parts_of(b[i]);
    take({left.significand * right.significand, left.exponent + right.exponent, 46});
  }
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    // In units of 2^(largest - fraction).
    sum += shifted(terms[i].value, terms[i].exponent - terms[i].scale - largest + model.fraction);
  }
  return count == 0 ? 0.0F : cut_off(sum, largest - model.fraction, model.e8m13 ? 13 : 23);
}

float dot(std::span<const float> a, std::span<const float> b, const AccumulatorModel& model, int promote) {
  const auto step = static_cast<std::size_t>(model.step);
  float total = 0, sum = 0;
  for (std::size_t first = 0; first < a.size(); first += step) {
    const std::size_t size = std::min(step, a.size() - first);
    sum = fused_step(a.subspan(first, size), b.subspan(first, size), sum, model);
    if (promote > 0 && (first + step) % static_cast<std::size_t>(promote) == 0) {
      total += sum;
      sum = 0;
    }
  }
  return promote > 0 ? total + sum : sum;
}

float exact_dot(std::span<const float> a, std::span<const float> b) {
  // Non-overlapping partial sums (Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997): exact.
  std::vector<double> parts;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double carried = static_cast<double>(a[i]) * static_cast<double>(b[i]);
    std::size_t kept = 0;
    for (double part : parts) {
      if (std::abs(carried) < std::abs(part)) {
        std::swap(carried, part);
      }
      const double high = carried + part;
      if (const double low = part - (high - carried); low != 0) {
        parts[kept++] = low;
      }
      carried = high;
    }
    parts.resize(kept);
    parts.push_back(carried);
  }
  if (parts.empty() || !std::isfinite(parts.back())) {
    return parts.empty() ? 0.0F : static_cast<float>(parts.back());
  }
  // Rounded to odd in FP64, the sum rounds to FP32 as if it had not been rounded before.
  double high = parts.back();
  double low = 0;
  for (std::size_t i = parts.size() - 1; i-- > 0 && low == 0;) {
    const double next = high + parts[i];
    low = parts[i] - (next - high);
    high = next;
  }
  auto bits = std::bit_cast<std::uint64_t>(high);
  if (low != 0 && (bits & 1U) == 0) {
    bits += (low > 0) == (high > 0) ? 1U : std::uint64_t(-1);
  }
  return static_cast<float>(std::bit_cast<double>(bits));
}

}  // namespace jissoku::numerics
