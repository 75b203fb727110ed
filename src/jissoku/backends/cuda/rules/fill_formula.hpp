// Element i of a fill, as numerics::fill_values defines it, in a form that compiles for host and GPU. Only
// operations that IEEE 754 rounds correctly, in the order of numerics/random.cpp: with multiply-add
// contraction switched off (-fmad=false, -ffp-contract=off) the bits are the same everywhere, and the unit
// tests compare the host's with numerics. Coefficients and their sources are named there.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)
#define JISSOKU_HOST_DEVICE __host__ __device__
#else
#define JISSOKU_HOST_DEVICE
#endif

namespace jissoku::backends::cuda::formula {

enum class Pattern : int { normal, uniform, ints, constant };
/// Narrow formats as they lie in memory.
enum class Format : int { f64, f32, tf32, f16, bf16 };

/// A fill without its tensor.
struct Recipe {
  Pattern pattern = Pattern::constant;
  Format format = Format::f32;
  std::uint64_t start = 0;  ///< start_of(seed)
  std::int64_t magnitude = 1;
  std::uint64_t constant = 0;  ///< the bits to write, lowest first
};

JISSOKU_HOST_DEVICE inline std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31U);
}

JISSOKU_HOST_DEVICE inline std::uint64_t start_of(std::uint64_t seed) {
  return mix(seed);
}

JISSOKU_HOST_DEVICE inline std::uint64_t random_bits(std::uint64_t start, std::uint64_t index) {
  return mix(start + (index + 1) * 0x9E3779B97F4A7C15U);
}

template <typename To, typename From>
JISSOKU_HOST_DEVICE inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

JISSOKU_HOST_DEVICE inline double logarithm(double x) {
  const std::uint64_t bits = bits_as<std::uint64_t>(x);
  const std::int64_t exponent = static_cast<std::int64_t>(bits - 0x3FE6A09E667F3BCDU) >> 52U;
  const double m = bits_as<double>(bits - (static_cast<std::uint64_t>(exponent) << 52U));
  const double f = m - 1;
  const double s = f / (2 + f);
  const double z = s * s;
  const double half_square = 0.5 * f * f;
  double sum = 1.479819860511658591e-01;
  sum = sum * z + 1.531383769920937332e-01;
  sum = sum * z + 1.818357216161805012e-01;
  sum = sum * z + 2.222219843214978396e-01;
  sum = sum * z + 2.857142874366239149e-01;
  sum = sum * z + 3.999999999940941908e-01;
  sum = sum * z + 6.666666666666735130e-01;
  const double rest = z * sum;
  const double k = static_cast<double>(exponent);
  return k * 6.93147180369123816490e-01 -
         ((half_square - (s * (half_square + rest) + k * 1.90821492927058770002e-10)) - f);
}

/// a[0] + a[1] x + ... of eight coefficients.
JISSOKU_HOST_DEVICE inline double polynomial(const double (&a)[8], double x) {
  double sum = a[7];
  for (int i = 6; i >= 0; --i) {
    sum = sum * x + a[i];
  }
  return sum;
}

JISSOKU_HOST_DEVICE inline double centre_quantile(double q) {
  const double a[8] = {3.3871328727963666080e0,
                       1.3314166789178437745e+2,
                       1.9715909503065514427e+3,
                       1.3731693765509461125e+4,
                       4.5921953931549871457e+4,
                       6.7265770927008700853e+4,
                       3.3430575583588128105e+4,
                       2.5090809287301226727e+3};
  const double b[8] = {1.0,
                       4.2313330701600911252e+1,
                       6.8718700749205790830e+2,
                       5.3941960214247511077e+3,
                       2.1213794301586595867e+4,
                       3.9307895800092710610e+4,
                       2.8729085735721942674e+4,
                       5.2264952788528545610e+3};
  const double r = 0.425 * 0.425 - q * q;
  return q * polynomial(a, r) / polynomial(b, r);
}

JISSOKU_HOST_DEVICE inline double middle_quantile(double r) {
  const double c[8] = {1.42343711074968357734e0,
                       4.63033784615654529590e0,
                       5.76949722146069140550e0,
                       3.64784832476320460504e0,
                       1.27045825245236838258e0,
                       2.41780725177450611770e-1,
                       2.27238449892691845833e-2,
                       7.74545014278341407640e-4};
  const double d[8] = {1.0,
                       2.05319162663775882187e0,
                       1.67638483018380384940e0,
                       6.89767334985100004550e-1,
                       1.48103976427480074590e-1,
                       1.51986665636164571966e-2,
                       5.47593808499534494600e-4,
                       1.05075007164441684324e-9};
  return polynomial(c, r - 1.6) / polynomial(d, r - 1.6);
}

JISSOKU_HOST_DEVICE inline double far_quantile(double r) {
  const double e[8] = {6.65790464350110377720e0,
                       5.46378491116411436990e0,
                       1.78482653991729133580e0,
                       2.96560571828504891230e-1,
                       2.65321895265761230930e-2,
                       1.24266094738807843860e-3,
                       2.71155556874348757815e-5,
                       2.01033439929228813265e-7};
  const double f[8] = {1.0,
                       5.99832206555887937690e-1,
                       1.36929880922735805310e-1,
                       1.48753612908506148525e-2,
                       7.86869131145613259100e-4,
                       1.84631831751005468180e-5,
                       1.42151175831644588870e-7,
                       2.04426310338993978564e-15};
  return polynomial(e, r - 5) / polynomial(f, r - 5);
}

JISSOKU_HOST_DEVICE inline double normal(std::uint64_t bits) {
  const double q = (static_cast<double>(static_cast<std::int64_t>(bits) >> 11) + 0.5) * 0x1p-53;
  const double size = q < 0 ? -q : q;
  if (size <= 0.425) {
    return centre_quantile(q);
  }
  const double r = sqrt(-logarithm(0.5 - size));
  const double value = r <= 5 ? middle_quantile(r) : far_quantile(r);
  return q < 0 ? -value : value;
}

JISSOKU_HOST_DEVICE inline double integer(std::uint64_t bits, std::int64_t magnitude) {
  const std::uint64_t range = 2 * static_cast<std::uint64_t>(magnitude) + 1;
  return static_cast<double>(static_cast<std::int64_t>((bits >> 32U) * range >> 32U) - magnitude);
}

/// The FP64 fill, and the FP32 fill that all narrower ones round.
JISSOKU_HOST_DEVICE inline double value_f64(const Recipe& recipe, std::uint64_t index) {
  const std::uint64_t bits = random_bits(recipe.start, index);
  switch (recipe.pattern) {
    case Pattern::normal:
      return normal(bits);
    case Pattern::uniform:
      return static_cast<double>(bits >> 11U) * 0x1p-53;
    default:
      return integer(bits, recipe.magnitude);
  }
}
JISSOKU_HOST_DEVICE inline float value_f32(const Recipe& recipe, std::uint64_t index) {
  if (recipe.pattern == Pattern::uniform) {
    return static_cast<float>(random_bits(recipe.start, index) >> 40U) * 0x1p-24F;
  }
  return static_cast<float>(value_f64(recipe, index));
}

/// As numerics/narrow.cpp does it. `value` is finite.
JISSOKU_HOST_DEVICE inline std::uint32_t round_off(std::uint32_t bits, unsigned count) {
  const std::uint32_t half = 1U << (count - 1);
  const std::uint32_t odd = (bits >> count) & 1U;
  return (bits + half - 1 + odd) & ~((1U << count) - 1);
}
JISSOKU_HOST_DEVICE inline std::uint16_t to_f16(float value) {
  const std::uint32_t bits = bits_as<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const float magnitude = bits_as<float>(bits & 0x7FFFFFFFU);
  if (magnitude >= 65520.0F) {
    return static_cast<std::uint16_t>(sign | 0x7C00U);
  }
  if (magnitude < 0x1p-14F) {
    return static_cast<std::uint16_t>(sign | (bits_as<std::uint32_t>(magnitude + 0.5F) - 0x3F000000U));
  }
  return static_cast<std::uint16_t>(sign | ((round_off(bits & 0x7FFFFFFFU, 13) - 0x38000000U) >> 13));
}
JISSOKU_HOST_DEVICE inline std::uint16_t to_bf16(float value) {
  return static_cast<std::uint16_t>(round_off(bits_as<std::uint32_t>(value), 16) >> 16);
}

/// The bits of element `index`, in the lowest 16, 32 or 64.
JISSOKU_HOST_DEVICE inline std::uint64_t element_bits(const Recipe& recipe, std::uint64_t index) {
  if (recipe.pattern == Pattern::constant) {
    return recipe.constant;
  }
  if (recipe.format == Format::f64) {
    return bits_as<std::uint64_t>(value_f64(recipe, index));
  }
  const float value = value_f32(recipe, index);
  switch (recipe.format) {
    case Format::f16:
      return to_f16(value);
    case Format::bf16:
      return to_bf16(value);
    case Format::tf32:
      return round_off(bits_as<std::uint32_t>(value), 13);
    default:
      return bits_as<std::uint32_t>(value);
  }
}

}  // namespace jissoku::backends::cuda::formula
