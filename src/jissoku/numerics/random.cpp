// What is the same everywhere: every value, to the last bit. The code uses only operations that IEEE 754
// rounds correctly (+ - * / sqrt and conversions), in a fixed order and without fused multiply-add, and
// its own logarithm, since those of C libraries differ in the last bit from version to version and from
// processor to processor.
#include "jissoku/numerics/random.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <string>
#include <utility>

namespace jissoku::numerics {
namespace {

constexpr std::array<std::pair<std::string_view, Data>, 4> kNames = {{
    {"normal", Data::normal},
    {"uniform", Data::uniform},
    {"ints", Data::ints},
    {"zeros", Data::zeros},
}};

/// The finaliser of splitmix64 (Steele, Lea, Flood 2014; constants: Stafford's variant 13).
constexpr std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31U);
}

/// Random bits of one seed. The seed is mixed first, so that the streams of seeds 1 and 2 are not each
/// other's, shifted; mix(0) is 0, so seed 0 gives the published sequence.
class Stream {
 public:
  explicit constexpr Stream(std::uint64_t seed) : start_(mix(seed)) {}
  constexpr std::uint64_t operator()(std::uint64_t index) const {
    constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15U;
    return mix(start_ + (index + 1) * kGolden);
  }

 private:
  std::uint64_t start_;
};

/// a[0] + a[1] x + ..., by Horner's rule.
template <std::size_t kCount>
double polynomial(const std::array<double, kCount>& a, double x) {
  double sum = a[kCount - 1];
  for (std::size_t i = kCount - 1; i-- > 0;) {
    sum = sum * x + a[i];
  }
  return sum;
}

/// Natural logarithm of a positive normal number to within 1 ulp: the method and the coefficients of
/// FreeBSD's e_log.c (Sun Microsystems 1993), without its special cases.
double logarithm(double x) {
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  constexpr std::array<double, 7> kCoefficients = {6.666666666666735130e-01,
                                                   3.999999999940941908e-01,
                                                   2.857142874366239149e-01,
                                                   2.222219843214978396e-01,
                                                   1.818357216161805012e-01,
                                                   1.531383769920937332e-01,
                                                   1.479819860511658591e-01};
  constexpr std::uint64_t kSqrtHalf = 0x3FE6A09E667F3BCDU;  // x = 2^exponent m, sqrt(1/2) <= m < sqrt(2)
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::int64_t exponent = static_cast<std::int64_t>(bits - kSqrtHalf) >> 52U;
  const double m = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << 52U));
  const double f = m - 1;
  const double s = f / (2 + f);
  const double z = s * s;
  const double half_square = 0.5 * f * f;
  const double rest = z * polynomial(kCoefficients, z);
  const auto k = static_cast<double>(exponent);
  return k * kLn2High - ((half_square - (s * (half_square + rest) + k * kLn2Low)) - f);
}

// Wichura, Algorithm AS 241 (PPND16), Applied Statistics 37 (1988) 477-484: the normal quantile to about 1
// part in 10^16. Numerators and denominators of three rational approximations.
constexpr std::array<double, 8> kCentreA = {3.3871328727963666080e0,
                                            1.3314166789178437745e+2,
                                            1.9715909503065514427e+3,
                                            1.3731693765509461125e+4,
                                            4.5921953931549871457e+4,
                                            6.7265770927008700853e+4,
                                            3.3430575583588128105e+4,
                                            2.5090809287301226727e+3};
constexpr std::array<double, 8> kCentreB = {1.0,
                                            4.2313330701600911252e+1,
                                            6.8718700749205790830e+2,
                                            5.3941960214247511077e+3,
                                            2.1213794301586595867e+4,
                                            3.9307895800092710610e+4,
                                            2.8729085735721942674e+4,
                                            5.2264952788528545610e+3};
constexpr std::array<double, 8> kMiddleC = {1.42343711074968357734e0,
                                            4.63033784615654529590e0,
                                            5.76949722146069140550e0,
                                            3.64784832476320460504e0,
                                            1.27045825245236838258e0,
                                            2.41780725177450611770e-1,
                                            2.27238449892691845833e-2,
                                            7.74545014278341407640e-4};
constexpr std::array<double, 8> kMiddleD = {1.0,
                                            2.05319162663775882187e0,
                                            1.67638483018380384940e0,
                                            6.89767334985100004550e-1,
                                            1.48103976427480074590e-1,
                                            1.51986665636164571966e-2,
                                            5.47593808499534494600e-4,
                                            1.05075007164441684324e-9};
constexpr std::array<double, 8> kTailE = {6.65790464350110377720e0,
                                          5.46378491116411436990e0,
                                          1.78482653991729133580e0,
                                          2.96560571828504891230e-1,
                                          2.65321895265761230930e-2,
                                          1.24266094738807843860e-3,
                                          2.71155556874348757815e-5,
                                          2.01033439929228813265e-7};
constexpr std::array<double, 8> kTailF = {1.0,
                                          5.99832206555887937690e-1,
                                          1.36929880922735805310e-1,
                                          1.48753612908506148525e-2,
                                          7.86869131145613259100e-4,
                                          1.84631831751005468180e-5,
                                          1.42151175831644588870e-7,
                                          2.04426310338993978564e-15};
constexpr double kCentre = 0.425;  // |q| up to here is the centre

/// Quantile of 1/2 + q for |q| <= 0.425.
double centre_quantile(double q) {
  const double r = kCentre * kCentre - q * q;
  return q * polynomial(kCentreA, r) / polynomial(kCentreB, r);
}

/// Quantile of 1/2 + q for 0.425 < |q| < 1/2.
double tail_quantile(double q) {
  const double r = std::sqrt(-logarithm(0.5 - std::abs(q)));  // the difference is exact
  const double value = r <= 5 ? polynomial(kMiddleC, r - 1.6) / polynomial(kMiddleD, r - 1.6)
                              : polynomial(kTailE, r - 5) / polynomial(kTailF, r - 5);
  return std::copysign(value, q);
}

/// Uniform on the odd multiples of 2^-54 in (-1/2, 1/2): symmetric, never at the ends.
double centred_uniform(std::uint64_t bits) {
  return (static_cast<double>(static_cast<std::int64_t>(bits) >> 11) + 0.5) * 0x1p-53;
}

/// The whole block as if all were central, without branches so that it vectorises; then those 15 % that
/// are not, again.
template <typename T>
void fill_normal(const Stream& stream, std::uint64_t first, std::span<T> out) {
  constexpr std::size_t kBlock = 512;
  std::array<double, kBlock> q{};
  for (std::size_t start = 0; start < out.size(); start += kBlock) {
    const std::size_t count = std::min(kBlock, out.size() - start);
    T* const block = out.data() + start;
    for (std::size_t i = 0; i < count; ++i) {
      q[i] = centred_uniform(stream(first + start + i));
    }
    for (std::size_t i = 0; i < count; ++i) {
      block[i] = static_cast<T>(centre_quantile(q[i]));
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (std::abs(q[i]) > kCentre) {
        block[i] = static_cast<T>(tail_quantile(q[i]));
      }
    }
  }
}

/// As many leading bits as T holds: rounding a longer fraction could give 1.
template <typename T>
T unit_uniform(std::uint64_t bits) {
  if constexpr (sizeof(T) == sizeof(float)) {
    return static_cast<T>(bits >> 40U) * 0x1p-24F;
  } else {
    return static_cast<T>(bits >> 11U) * 0x1p-53;
  }
}

template <typename T>
void fill(Data data, std::uint64_t seed, std::uint64_t first, int magnitude, std::span<T> out) {
  const Stream stream(seed);
  switch (data) {
    case Data::normal:
      fill_normal(stream, first, out);
      return;
    case Data::uniform:
      for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = unit_uniform<T>(stream(first + i));
      }
      return;
    case Data::ints: {
      assert(magnitude >= 1);
      // 32 random bits scaled to the range (Lemire 2019); no value is off by more than range / 2^32.
      const std::uint64_t range = 2 * static_cast<std::uint64_t>(magnitude) + 1;
      for (std::size_t i = 0; i < out.size(); ++i) {
        const auto value = static_cast<std::int64_t>((stream(first + i) >> 32U) * range >> 32U);
        out[i] = static_cast<T>(value - magnitude);
      }
      return;
    }
    case Data::zeros:
      std::fill(out.begin(), out.end(), T{0});
      return;
  }
}

}  // namespace

std::string_view to_string(Data data) {
  for (const auto& [name, value] : kNames) {
    if (value == data) {
      return name;
    }
  }
  return "";
}

core::Result<Data> parse_data(std::string_view text, std::string_view option) {
  std::string choices;
  for (const auto& [name, value] : kNames) {
    if (name == text) {
      return value;
    }
    choices += (choices.empty() ? "" : ", ") + std::string(name);
  }
  return core::make_error(
      core::ExitCode::usage,
      "core.not_one_of",
      {{"option", std::string(option)}, {"text", std::string(text)}, {"choices", choices}});
}

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  return Stream(seed)(index);
}

void fill_values(Data data, std::uint64_t seed, std::uint64_t first, int magnitude, std::span<float> out) {
  fill(data, seed, first, magnitude, out);
}

void fill_values(Data data, std::uint64_t seed, std::uint64_t first, int magnitude, std::span<double> out) {
  fill(data, seed, first, magnitude, out);
}

}  // namespace jissoku::numerics
