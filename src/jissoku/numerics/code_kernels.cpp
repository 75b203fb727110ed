// Compiled once for each instruction set by Highway's foreach_target. The choice among them is ours, so that
// nothing of Highway is linked: AVX2 here asks for BMI and FMA, but neither for AES nor F16C.
#include "jissoku/numerics/code_kernels.hpp"

#include <array>
#include <cassert>
#include <type_traits>

#include "jissoku/numerics/code_formats.hpp"

#define HWY_DISABLE_PCLMUL_AES
#define HWY_DISABLE_F16C
#define HWY_DISABLED_TARGETS HWY_SSSE3
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "jissoku/numerics/code_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace jissoku::numerics {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Words = hn::ScalableTag<std::int32_t>;
using Vf = hn::Vec<Floats>;
using Vi = hn::Vec<Words>;

/// INT8 as a format that has subnormal numbers only: multiples of one.
inline constexpr FloatFormat kInteger8 = {8, 7, -6, 0x7F, 0x7F, 0};

constexpr std::int32_t to_signed(std::uint32_t bits) {
  return static_cast<std::int32_t>(bits);
}

inline Vi set(std::uint32_t bits) {
  return hn::Set(Words(), to_signed(bits));
}

inline Vi shift_right(Vi value, Vi count) {
  const hn::RebindToUnsigned<Words> unsigned_words;
  return hn::BitCast(Words(),
                     hn::Shr(hn::BitCast(unsigned_words, value), hn::BitCast(unsigned_words, count)));
}

template <int kCount>
inline Vi shift_right(Vi value) {
  const hn::RebindToUnsigned<Words> unsigned_words;
  return hn::BitCast(Words(), hn::ShiftRight<kCount>(hn::BitCast(unsigned_words, value)));
}

/// rounded_shift with 1 <= shift <= 31 in each lane.
inline Vi rounded(Vi magnitude, Vi shift, Rounding rounding, Vi random) {
  const Vi one = set(1);
  Vi addend = hn::Zero(Words());
  if (rounding == Rounding::half_away) {
    addend = hn::Shl(one, hn::Sub(shift, one));
  } else if (rounding == Rounding::stochastic) {
    addend = shift_right(random, hn::Sub(set(32), shift));
  } else if (rounding == Rounding::nearest_even) {
    const Vi odd = hn::And(shift_right(magnitude, shift), one);
    addend = hn::Add(hn::Sub(hn::Shl(one, hn::Sub(shift, one)), one), odd);
  }
  return shift_right(hn::Add(magnitude, addend), shift);
}

template <int kShift>
inline Vi rounded_nearest(Vi magnitude) {
  const Vi odd = hn::And(shift_right<kShift>(magnitude), set(1));
  return shift_right<kShift>(hn::Add(magnitude, hn::Add(odd, set((1U << (kShift - 1)) - 1))));
}

/// The code without sign, overflow not yet looked at, of magnitudes cut just above the largest value.
template <FloatFormat F>
inline Vi nearest_by_addition(Vi magnitude) {
  // Adding a power of two whose unit in the last place is the format's at this exponent rounds to it.
  constexpr std::uint32_t kLowest = static_cast<std::uint32_t>(127 + F.min_exponent()) << 23U;
  const Vi exponent = hn::Max(hn::And(magnitude, set(kF32Infinity)), set(kLowest));
  const Vi power = hn::Add(exponent, set(static_cast<std::uint32_t>(F.dropped_bits()) << 23U));
  const Vf sum = hn::Add(hn::BitCast(Floats(), magnitude), hn::BitCast(Floats(), power));
  const Vi units = hn::Sub(hn::BitCast(Words(), sum), power);
  return hn::Add(units, shift_right<F.dropped_bits()>(hn::Sub(exponent, set(kLowest))));
}

template <FloatFormat F>
inline Vi by_shifts(Vi magnitude, Rounding rounding, Vi random) {
  // The hidden bit that FP32's subnormals get here is shifted out: these formats begin far above.
  Vi significand = hn::Or(hn::And(magnitude, set(kF32Hidden - 1)), set(kF32Hidden));
  const Vi above =
      hn::Sub(shift_right<23>(magnitude), set(static_cast<std::uint32_t>(127 + F.min_exponent())));
  const Vi zero = hn::Zero(Words());
  const Vi shift = hn::Sub(set(static_cast<std::uint32_t>(F.dropped_bits())), hn::Min(above, zero));
  const Vi before = hn::Min(hn::Max(hn::Sub(shift, set(31)), zero), set(31));
  significand = shift_right(significand, before);
  const Vi units = rounded(significand, hn::Min(shift, set(31)), rounding, random);
  return hn::Add(units, hn::ShiftLeft<F.fraction_bits>(hn::Max(above, zero)));
}

/// Of one format: `code` gives the codes of a vector and which magnitudes overflow.
template <FloatFormat F>
struct FloatCodes {
  static constexpr std::uint32_t kZeroMask = F.sign() - 1;
  static constexpr bool kInteger = F.bias == kInteger8.bias;

  template <bool kNearest>
  static Vi code(Vi bits, const EncodeJob& job, Vi random, hn::Mask<Words>& overflow) {
    const Vi magnitude = hn::And(bits, set(~kF32Sign));
    Vi code;
    if constexpr (F.bias == 127) {
      code = kNearest ? rounded_nearest<F.dropped_bits()>(magnitude)
                      : rounded(magnitude, set(F.dropped_bits()), job.conversion.rounding, random);
    } else {
      constexpr int kTop =
          static_cast<int>(F.max_finite >> static_cast<unsigned>(F.fraction_bits)) - F.bias + 1;
      const Vi cut = hn::Min(magnitude, set(static_cast<std::uint32_t>(127 + kTop) << 23U));
      code = kNearest ? nearest_by_addition<F>(cut) : by_shifts<F>(cut, job.conversion.rounding, random);
    }
    const bool saturate = job.conversion.saturate;
    const Vi infinite = set(saturate ? F.max_finite : F.infinity);
    if constexpr (kInteger) {
      const Vi negative = hn::BroadcastSignBit(bits);
      const Vi limit = hn::Sub(set(F.max_finite), negative);
      overflow = hn::Gt(code, limit);
      code = hn::And(hn::Sub(hn::Xor(hn::Min(code, limit), negative), negative), set(0xFF));
    } else {
      overflow = hn::Gt(code, set(F.max_finite));
      if (kNearest || job.conversion.rounding != Rounding::toward_zero) {
        code = hn::IfThenElse(overflow, infinite, code);
      } else {
        code = hn::Min(code, set(F.max_finite));
        code = hn::IfThenElse(hn::Eq(magnitude, set(kF32Infinity)), infinite, code);
      }
      code = hn::Or(code, shift_right<32 - F.width>(hn::AndNot(set(~kF32Sign), bits)));
    }
    return hn::IfThenElse(hn::Gt(magnitude, set(kF32Infinity)), set(F.nan), code);
  }
};

struct E8m0Codes {
  static constexpr std::uint32_t kZeroMask = 0xFF;

  template <bool kNearest>
  static Vi code(Vi bits, const EncodeJob& job, Vi random, hn::Mask<Words>& overflow) {
    const Vi magnitude = hn::And(bits, set(~kF32Sign));
    const Vi low = hn::Sub(hn::ShiftLeft<1>(hn::Max(magnitude, set(kF32Quiet))), set(kF32Hidden));
    const Vi normal = hn::IfThenElse(hn::Lt(magnitude, set(kF32Hidden)), low, magnitude);
    const Vi code =
        kNearest ? rounded_nearest<23>(normal) : rounded(normal, set(23), job.conversion.rounding, random);
    overflow = hn::Gt(code, set(kE8m0Nan - 1));
    const Vi cut = hn::Min(code, set(job.conversion.saturate ? kE8m0Nan - 1 : kE8m0Nan));
    return hn::IfThenElse(hn::Gt(magnitude, set(kF32Infinity)), set(kE8m0Nan), cut);
  }
};

inline void store(Vi code, std::uint8_t* out) {
  const hn::Rebind<std::uint8_t, Words> bytes;
  hn::StoreU(hn::DemoteTo(bytes, code), bytes, out);
}
inline void store(Vi code, std::uint16_t* out) {
  const hn::Rebind<std::uint16_t, Words> halves;
  hn::StoreU(hn::DemoteTo(halves, code), halves, out);
}
inline void store(Vi code, std::uint32_t* out) {
  const hn::RebindToUnsigned<Words> words;
  hn::StoreU(hn::BitCast(words, hn::ShiftLeft<static_cast<int>(kTf32Shift)>(code)), words, out);
}

inline std::int64_t count_true(hn::Mask<Words> mask) {
  return static_cast<std::int64_t>(hn::CountTrue(Words(), mask));
}

template <typename Codes, bool kNearest, bool kScaled, typename Code>
void encode_chunk(const EncodeJob& job) {
  const std::size_t lanes = hn::Lanes(Floats());
  auto* out = static_cast<Code*>(job.codes);
  Vi random = hn::Zero(Words());
  const hn::RebindToUnsigned<Words> words;
  const bool draws = !kNearest && job.random != nullptr;
  for (std::size_t i = 0; i < job.count; i += lanes) {
    const Vf in = hn::LoadU(Floats(), job.in + i);
    Vi bits = hn::BitCast(Words(), in);
    if constexpr (kScaled) {
      bits = hn::BitCast(Words(), hn::Mul(in, hn::Set(Floats(), job.multipliers[i / 16])));
    }
    if (draws) {
      random = hn::BitCast(Words(), hn::LoadU(words, job.random + i));
    }
    hn::Mask<Words> overflow;
    const Vi code = Codes::template code<kNearest>(bits, job, random, overflow);
    store(code, out + i);
    if constexpr (kScaled) {
      const Vi magnitude = hn::And(hn::BitCast(Words(), in), set(~kF32Sign));
      const auto finite = hn::Lt(magnitude, set(kF32Infinity));
      const auto some = hn::Gt(magnitude, hn::Zero(Words()));
      const auto none = hn::Eq(hn::And(code, set(Codes::kZeroMask)), hn::Zero(Words()));
      job.tally->non_finite += static_cast<std::int64_t>(lanes) - count_true(finite);
      job.tally->saturated += count_true(hn::And(finite, overflow));
      job.tally->flushed += count_true(hn::And(hn::And(finite, some), none));
    }
  }
}

template <typename Codes, typename Code>
void encode_as(const EncodeJob& job) {
  const bool nearest = job.conversion.rounding == Rounding::nearest_even;
  if (job.multipliers != nullptr) {
    nearest ? encode_chunk<Codes, true, true, Code>(job) : encode_chunk<Codes, false, true, Code>(job);
  } else {
    nearest ? encode_chunk<Codes, true, false, Code>(job) : encode_chunk<Codes, false, false, Code>(job);
  }
}

void encode(DataType type, const EncodeJob& job) {
  switch (type) {
    case DataType::tf32:
      return encode_as<FloatCodes<kTf32>, std::uint32_t>(job);
    case DataType::f16:
      return encode_as<FloatCodes<kF16>, std::uint16_t>(job);
    case DataType::bf16:
      return encode_as<FloatCodes<kBf16>, std::uint16_t>(job);
    case DataType::e4m3:
      return encode_as<FloatCodes<kE4m3>, std::uint8_t>(job);
    case DataType::e5m2:
      return encode_as<FloatCodes<kE5m2>, std::uint8_t>(job);
    case DataType::e3m2:
      return encode_as<FloatCodes<kE3m2>, std::uint8_t>(job);
    case DataType::e2m3:
      return encode_as<FloatCodes<kE2m3>, std::uint8_t>(job);
    case DataType::e2m1:
      return encode_as<FloatCodes<kE2m1>, std::uint8_t>(job);
    case DataType::i8:
      return encode_as<FloatCodes<kInteger8>, std::uint8_t>(job);
    case DataType::e8m0:
      return encode_as<E8m0Codes, std::uint8_t>(job);
    default:
      assert(false && "no kernels for this type");
  }
}

inline Vi load(const std::uint8_t* codes) {
  const hn::Rebind<std::uint8_t, Words> bytes;
  return hn::PromoteTo(Words(), hn::LoadU(bytes, codes));
}
inline Vi load(const std::uint16_t* codes) {
  const hn::Rebind<std::uint16_t, Words> halves;
  return hn::PromoteTo(Words(), hn::LoadU(halves, codes));
}

template <FloatFormat F>
inline Vf value_of(Vi code) {
  if constexpr (F.bias == 127) {
    return hn::BitCast(Floats(), hn::ShiftLeft<F.dropped_bits()>(code));  // the sign is at the top: BF16
  } else {
    constexpr std::uint32_t kMinNormal = static_cast<std::uint32_t>(127 + F.min_exponent()) << 23U;
    const Vi magnitude = hn::ShiftLeft<F.dropped_bits()>(hn::And(code, set(F.sign() - 1)));
    const Vi low = set(kMinNormal);
    const Vf subnormal = hn::Sub(hn::BitCast(Floats(), hn::Add(magnitude, low)), hn::BitCast(Floats(), low));
    Vi bits = hn::Add(magnitude, set(static_cast<std::uint32_t>(127 - F.bias) << 23U));
    bits = hn::IfThenElse(hn::Lt(magnitude, set(kF32Hidden)), hn::BitCast(Words(), subnormal), bits);
    if constexpr (F.has_nan()) {
      constexpr std::uint32_t kUp = F.dropped_bits();
      constexpr std::uint32_t kLargest = F.max_finite << kUp;
      Vi special = hn::Or(magnitude, set(kF32Infinity));
      if constexpr (F.ieee_specials()) {
        const auto nan = hn::Gt(magnitude, set(F.infinity << kUp));
        special = hn::Or(special, hn::IfThenElseZero(nan, set(kF32Quiet)));
      } else {
        special = hn::Or(special, set(kF32Quiet));
      }
      bits = hn::IfThenElse(hn::Gt(magnitude, set(kLargest)), special, bits);
    }
    const Vi sign = hn::ShiftLeft<32 - F.width>(hn::And(code, set(F.sign())));
    return hn::BitCast(Floats(), hn::Or(bits, sign));
  }
}

template <FloatFormat F, typename Code>
void decode_as(const void* codes, std::size_t count, float* out) {
  const auto* in = static_cast<const Code*>(codes);
  const std::size_t lanes = hn::Lanes(Floats());
  for (std::size_t i = 0; i < count; i += lanes) {
    hn::StoreU(value_of<F>(load(in + i)), Floats(), out + i);
  }
}

void decode_i8(const void* codes, std::size_t count, float* out) {
  const auto* in = static_cast<const std::int8_t*>(codes);
  const hn::Rebind<std::int8_t, Words> bytes;
  const std::size_t lanes = hn::Lanes(Floats());
  for (std::size_t i = 0; i < count; i += lanes) {
    const Vi wide = hn::PromoteTo(Words(), hn::LoadU(bytes, in + i));
    hn::StoreU(hn::ConvertTo(Floats(), wide), Floats(), out + i);
  }
}

void decode_e8m0_chunk(const void* codes, std::size_t count, float* out) {
  const auto* in = static_cast<const std::uint8_t*>(codes);
  const std::size_t lanes = hn::Lanes(Floats());
  for (std::size_t i = 0; i < count; i += lanes) {
    const Vi code = load(in + i);
    Vi bits = hn::Max(hn::ShiftLeft<23>(code), set(kF32Quiet));
    bits = hn::Or(bits, hn::IfThenElseZero(hn::Eq(code, set(kE8m0Nan)), set(kF32Quiet)));
    hn::StoreU(hn::BitCast(Floats(), bits), Floats(), out + i);
  }
}

void decode(DataType type, const void* codes, std::size_t count, float* out) {
  switch (type) {
    case DataType::f16:
      return decode_as<kF16, std::uint16_t>(codes, count, out);
    case DataType::bf16:
      return decode_as<kBf16, std::uint16_t>(codes, count, out);
    case DataType::e4m3:
      return decode_as<kE4m3, std::uint8_t>(codes, count, out);
    case DataType::e5m2:
      return decode_as<kE5m2, std::uint8_t>(codes, count, out);
    case DataType::e3m2:
      return decode_as<kE3m2, std::uint8_t>(codes, count, out);
    case DataType::e2m3:
      return decode_as<kE2m3, std::uint8_t>(codes, count, out);
    case DataType::e2m1:
      return decode_as<kE2m1, std::uint8_t>(codes, count, out);
    case DataType::i8:
      return decode_i8(codes, count, out);
    case DataType::e8m0:
      return decode_e8m0_chunk(codes, count, out);
    default:
      assert(false && "no kernels for this type");
  }
}

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
void pack(int bits, const std::uint8_t* codes, std::size_t count, std::byte* out) {
  unsigned held = 0;
  unsigned word = 0;
  for (std::size_t i = 0; i < count; ++i) {
    word |= static_cast<unsigned>(codes[i]) << held;
    held += static_cast<unsigned>(bits);
    for (; held >= 8; held -= 8, word >>= 8U) {
      *out++ = static_cast<std::byte>(word & 0xFFU);
    }
  }
}

void unpack(int bits, const std::byte* in, std::size_t count, std::uint8_t* codes) {
  unsigned held = 0;
  unsigned word = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (held < static_cast<unsigned>(bits)) {
      word |= std::to_integer<unsigned>(*in++) << held;
      held += 8;
    }
    codes[i] = static_cast<std::uint8_t>(word & ((1U << static_cast<unsigned>(bits)) - 1));
    word >>= static_cast<unsigned>(bits);
    held -= static_cast<unsigned>(bits);
  }
}
#else
using Bytes16 = hn::FixedTag<std::uint8_t, 16>;
using Bytes8 = hn::FixedTag<std::uint8_t, 8>;

void pack(int bits, const std::uint8_t* codes, std::size_t count, std::byte* packed) {
  auto* out = reinterpret_cast<std::uint8_t*>(packed);
  const hn::FixedTag<std::uint16_t, 8> halves;
  const hn::FixedTag<std::uint32_t, 4> words;
  for (std::size_t i = 0; i < count; i += 16) {
    const auto in = hn::LoadU(Bytes16(), codes + i);
    if (bits == 4) {
      const auto pairs = hn::BitCast(halves, in);
      const auto both =
          hn::And(hn::Or(pairs, hn::ShiftRight<4>(pairs)), hn::Set(halves, std::uint16_t{0xFF}));
      hn::StoreU(
          hn::DemoteTo(Bytes8(), hn::BitCast(hn::FixedTag<std::int16_t, 8>(), both)), Bytes8(), out + i / 2);
    } else {
      const auto four = hn::BitCast(words, in);
      const auto at = [&](std::uint32_t mask) HWY_ATTR { return hn::Set(words, mask); };
      const auto low = hn::Or(hn::And(four, at(0x3F)), hn::And(hn::ShiftRight<2>(four), at(0xFC0)));
      const auto high = hn::Or(hn::And(hn::ShiftRight<4>(four), at(0x3F000)),
                               hn::And(hn::ShiftRight<6>(four), at(0xFC0000)));
      alignas(16) static constexpr std::array<std::uint8_t, 16> kThreeOfFour = {
          0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 0, 0, 0};
      const auto order = hn::Load(Bytes16(), kThreeOfFour.data());
      alignas(16) std::array<std::uint8_t, 16> twelve;
      hn::Store(
          hn::TableLookupBytes(hn::BitCast(Bytes16(), hn::Or(low, high)), order), Bytes16(), twelve.data());
      hwy::CopyBytes<12>(twelve.data(), out + i / 4 * 3);
    }
  }
}

void unpack(int bits, const std::byte* packed, std::size_t count, std::uint8_t* codes) {
  const auto* in = reinterpret_cast<const std::uint8_t*>(packed);
  const hn::FixedTag<std::uint16_t, 8> halves;
  const hn::FixedTag<std::uint32_t, 4> words;
  for (std::size_t i = 0; i < count; i += 16) {
    if (bits == 4) {
      const auto pairs = hn::PromoteTo(halves, hn::LoadU(Bytes8(), in + i / 2));
      const auto both =
          hn::And(hn::Or(pairs, hn::ShiftLeft<4>(pairs)), hn::Set(halves, std::uint16_t{0x0F0F}));
      hn::StoreU(hn::BitCast(Bytes16(), both), Bytes16(), codes + i);
    } else {
      // Four bytes beyond the group belong to the next one; the last group has none.
      alignas(16) std::array<std::uint8_t, 16> last{};
      const std::uint8_t* group = in + i / 4 * 3;
      if (i + 16 >= count) {
        hwy::CopyBytes<12>(group, last.data());
        group = last.data();
      }
      alignas(16) static constexpr std::array<std::uint8_t, 16> kFourOfThree = {
          0, 1, 2, 12, 3, 4, 5, 12, 6, 7, 8, 12, 9, 10, 11, 12};
      const auto order = hn::Load(Bytes16(), kFourOfThree.data());
      const auto four = hn::BitCast(words, hn::TableLookupBytes(hn::LoadU(Bytes16(), group), order));
      const auto at = [&](std::uint32_t mask) HWY_ATTR { return hn::Set(words, mask); };
      const auto low = hn::Or(hn::And(four, at(0x3F)), hn::And(hn::ShiftLeft<2>(four), at(0x3F00)));
      const auto high = hn::Or(hn::And(hn::ShiftLeft<4>(four), at(0x3F0000)),
                               hn::And(hn::ShiftLeft<6>(four), at(0x3F000000)));
      hn::StoreU(hn::BitCast(Bytes16(), hn::Or(low, high)), Bytes16(), codes + i);
    }
  }
}
#endif

const CodeKernels& kernels() {
  static const CodeKernels kKernels = {hwy::TargetName(HWY_TARGET), encode, decode, pack, unpack};
  return kKernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace jissoku::numerics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jissoku::numerics {
namespace {

struct Runnable {
  std::array<const CodeKernels*, 4> kernels{};
  std::size_t count = 0;
};

Runnable runnable() {
  Runnable all;
  const auto add = [&](const CodeKernels& kernels) { all.kernels[all.count++] = &kernels; };
  add(HWY_STATIC_DISPATCH(kernels)());
#if defined(__x86_64__)
  if (HWY_STATIC_TARGET > HWY_SSE4 && __builtin_cpu_supports("sse4.2") != 0) {
    add(N_SSE4::kernels());
  }
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                    __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
  if (HWY_STATIC_TARGET > HWY_AVX2 && avx2) {
    add(N_AVX2::kernels());
  }
  if (HWY_STATIC_TARGET > HWY_AVX3 && avx2 && __builtin_cpu_supports("avx512f") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512bw") != 0) {
    add(N_AVX3::kernels());
  }
#endif
  return all;
}

}  // namespace

std::span<const CodeKernels* const> code_kernels() {
  static const Runnable kAll = runnable();
  return std::span(kAll.kernels).first(kAll.count);
}

}  // namespace jissoku::numerics
#endif
