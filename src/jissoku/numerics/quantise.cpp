#include "jissoku/numerics/quantise.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "jissoku/numerics/code_formats.hpp"
#include "jissoku/numerics/code_kernels.hpp"
#include "jissoku/numerics/random.hpp"

namespace jissoku::numerics {
namespace {

constexpr float kFloatMax = std::numeric_limits<float>::max();
constexpr float kMxInt8Unit = 0x1p-6F;
/// With smaller scales the multiplier 2^6 / scale would not be finite.
constexpr std::uint32_t kMxInt8LowestScale = 6;

enum class Family { mx, nvfp4, row, tensor };

struct Traits {
  DataType elements;
  Family family;
  float largest;
  int emax;  ///< exponent of the largest value; MX only
};

Traits traits_of(Recipe recipe) {
  switch (recipe) {
    case Recipe::mxfp8_e4m3:
      return {DataType::e4m3, Family::mx, 448, 8};
    case Recipe::mxfp8_e5m2:
      return {DataType::e5m2, Family::mx, 57344, 15};
    case Recipe::mxfp6_e3m2:
      return {DataType::e3m2, Family::mx, 28, 4};
    case Recipe::mxfp6_e2m3:
      return {DataType::e2m3, Family::mx, 7.5F, 2};
    case Recipe::mxfp4:
      return {DataType::e2m1, Family::mx, 6, 2};
    case Recipe::mxint8:
      return {DataType::i8, Family::mx, 1.984375F, 0};
    case Recipe::nvfp4:
      return {DataType::e2m1, Family::nvfp4, 6, 2};
    case Recipe::int8_tensor:
      return {DataType::i8, Family::tensor, 127, 0};
    case Recipe::int8_row:
      return {DataType::i8, Family::row, 127, 0};
    case Recipe::e4m3_tensor:
      return {DataType::e4m3, Family::tensor, 448, 0};
    case Recipe::e5m2_tensor:
      break;
  }
  return {DataType::e5m2, Family::tensor, 57344, 0};
}

/// FP32 bits of the largest magnitude, infinities and NaNs among them.
std::uint32_t largest_bits(const float* in, std::int64_t count) {
  std::int32_t largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    largest = std::max(largest, static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(in[i]) & ~kF32Sign));
  }
  return static_cast<std::uint32_t>(largest);
}

float finite_amax(const float* in, std::int64_t count) {
  const std::uint32_t all = largest_bits(in, count);
  if (all < kF32Infinity) {
    return std::bit_cast<float>(all);
  }
  std::uint32_t largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(in[i]) & ~kF32Sign;
    largest = bits < kF32Infinity ? std::max(largest, bits) : largest;
  }
  return std::bit_cast<float>(largest);
}

/// The scale's code for a finite amax.
std::uint32_t mx_scale(float amax, const Traits& traits, ScaleRule rule) {
  if (amax == 0) {
    return 0;
  }
  std::uint32_t code = 0;
  if (rule == ScaleRule::rceil) {
    code = std::min((e8m0_bits(std::bit_cast<std::uint32_t>(amax / traits.largest)) + kF32Hidden - 1) >> 23U,
                    kE8m0Nan - 1);
  } else {
    const auto field = static_cast<int>(std::bit_cast<std::uint32_t>(amax) >> 23U);
    code = static_cast<std::uint32_t>(std::max(field - traits.emax, 0));
  }
  return traits.elements == DataType::i8 ? std::max(code, kMxInt8LowestScale) : code;
}

struct BlockScale {
  std::uint32_t code;
  float multiplier;
};

BlockScale mx_block(const float* in, std::int64_t count, const Traits& traits, ScaleRule rule) {
  const std::uint32_t largest = largest_bits(in, count);
  if (largest >= kF32Infinity) {
    return {kE8m0Nan, 0};
  }
  const std::uint32_t code = mx_scale(std::bit_cast<float>(largest), traits, rule);
  const float unit = traits.elements == DataType::i8 ? 1 / kMxInt8Unit : 1.0F;
  return {code, decode_e8m0(254 - code) * unit};
}

/// S_enc of TransformerEngine's recipe; numbers as in its core_nvfp4.cuh.
float nvfp4_encode_scale(float amax) {
  const float scale = amax == 0 ? 0 : std::min(448.0F * 6.0F / amax, kFloatMax);
  return scale == 0 ? 1 : scale;
}

BlockScale nvfp4_block(const float* in, std::int64_t count, float encode_scale) {
  const float amax = finite_amax(in, count);
  const std::uint32_t code =
      encode_float<kE4m3>(std::min(amax * (encode_scale * (1.0F / 6.0F)), kFloatMax), {});
  const float scale = decode_float<kE4m3>(code);
  const float multiplier = scale == 0 ? 0 : std::min(1.0F / (scale * (1.0F / encode_scale)), kFloatMax);
  return {code, multiplier};
}

/// INT8 stays symmetric: -128 becomes -127.
void make_symmetric(std::byte* codes, std::int64_t count, std::int64_t& saturated) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (codes[i] == std::byte{0x80}) {
      codes[i] = std::byte{0x81};
      ++saturated;
    }
  }
}

/// Finite elements but zeros of a block without scale: neither flushed nor saturated, but lost to the block's
/// NaN.
std::int64_t finite_and_some(const float* in, std::int64_t count) {
  return std::count_if(in, in + count, [](float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value) & ~kF32Sign;
    return bits != 0 && bits < kF32Infinity;
  });
}

/// One row: block scales, multipliers for each 16 elements, codes.
class RowQuantiser {
 public:
  RowQuantiser(const MatrixView& matrix, const QuantiseOptions& options, Quantised& out, float encode_scale)
      : matrix_(matrix),
        options_(options),
        out_(out),
        traits_(traits_of(options.recipe)),
        encode_scale_(encode_scale),
        multipliers_(static_cast<std::size_t>((matrix.columns + 15) / 16)) {}

  void row(std::int64_t row, Tally& tally) {
    const float* in = matrix_.data + row * matrix_.leading;
    if (traits_.family == Family::tensor) {
      std::fill(multipliers_.begin(), multipliers_.end(), std::min(1 / out_.factor, kFloatMax));
    } else if (traits_.family == Family::row) {
      whole_row(in, row);
    } else {
      blocks(in, row, tally);
    }
    const Conversion conversion = {
        options_.rounding, true, random_bits(options_.seed, static_cast<std::uint64_t>(row))};
    std::byte* codes =
        out_.codes.data() + static_cast<std::size_t>(row) * packed_bytes(out_.elements, out_.columns);
    encode_scaled_row(*code_kernels().back(),
                      out_.elements,
                      {in, matrix_.columns, multipliers_.data(), &tally},
                      codes,
                      conversion);
    if (out_.elements == DataType::i8) {
      make_symmetric(codes, matrix_.columns, tally.saturated);
    }
  }

 private:
  void whole_row(const float* in, std::int64_t row) {
    const float amax = finite_amax(in, matrix_.columns);
    const float scale =
        amax == 0 ? 1 : std::max(amax / traits_.largest, std::numeric_limits<float>::denorm_min());
    std::fill(multipliers_.begin(), multipliers_.end(), std::min(1 / scale, kFloatMax));
    encode(
        DataType::f32, &scale, 1, out_.scale_codes.data() + row * static_cast<std::int64_t>(sizeof(float)));
  }

  void blocks(const float* in, std::int64_t row, Tally& tally) {
    const std::int64_t per_row = (matrix_.columns + out_.block - 1) / out_.block;
    for (std::int64_t b = 0; b < per_row; ++b) {
      const std::int64_t first = b * out_.block;
      const std::int64_t count = std::min(out_.block, matrix_.columns - first);
      const BlockScale scale = traits_.family == Family::mx
                                   ? mx_block(in + first, count, traits_, options_.rule)
                                   : nvfp4_block(in + first, count, encode_scale_);
      if (traits_.family == Family::mx && scale.code == kE8m0Nan) {
        tally.flushed -= finite_and_some(in + first, count);
      }
      out_.scale_codes[static_cast<std::size_t>(row * per_row + b)] = static_cast<std::byte>(scale.code);
      for (std::int64_t at = first / 16; at < (first + count + 15) / 16; ++at) {
        multipliers_[static_cast<std::size_t>(at)] = scale.multiplier;
      }
    }
  }

  const MatrixView& matrix_;
  const QuantiseOptions& options_;
  Quantised& out_;
  Traits traits_;
  float encode_scale_;
  std::vector<float> multipliers_;
};

}  // namespace

float finite_amax(const MatrixView& matrix, std::int64_t first, std::int64_t last) {
  float amax = 0;
  for (std::int64_t row = first; row < last; ++row) {
    amax = std::max(amax, finite_amax(matrix.data + row * matrix.leading, matrix.columns));
  }
  return amax;
}

float nvfp4_factor(float amax) {
  return 1 / nvfp4_encode_scale(amax);
}

Quantised prepare_quantised(const MatrixView& matrix, const QuantiseOptions& options, float amax) {
  const Traits traits = traits_of(options.recipe);
  Quantised out;
  out.elements = traits.elements;
  out.rows = matrix.rows;
  out.columns = matrix.columns;
  out.amax = amax;
  switch (traits.family) {
    case Family::mx:
      out.block = 32;
      out.factor = traits.elements == DataType::i8 ? kMxInt8Unit : 1.0F;
      break;
    case Family::nvfp4:
      out.block = 16;
      out.scales = DataType::e4m3;
      out.factor = nvfp4_factor(amax);
      break;
    case Family::row:
      out.block = std::max<std::int64_t>(matrix.columns, 1);
      out.scales = DataType::f32;
      break;
    case Family::tensor:
      out.factor = amax == 0 ? 1 : std::max(amax / traits.largest, std::numeric_limits<float>::denorm_min());
      break;
  }
  out.codes.resize(static_cast<std::size_t>(out.rows) * packed_bytes(out.elements, out.columns));
  if (out.block != 0) {
    const std::int64_t per_row = (out.columns + out.block - 1) / out.block;
    out.scale_codes.resize(packed_bytes(out.scales, out.rows * per_row));
  }
  return out;
}

QuantiseCounts quantise_rows(const MatrixView& matrix,
                             const QuantiseOptions& options,
                             std::int64_t first,
                             std::int64_t last,
                             Quantised& out) {
  Tally tally;
  RowQuantiser quantiser(matrix, options, out, nvfp4_encode_scale(out.amax));
  for (std::int64_t row = first; row < last; ++row) {
    quantiser.row(row, tally);
  }
  return {tally.saturated, tally.flushed, tally.non_finite};
}

void dequantise_row(const Quantised& matrix, std::int64_t row, float* out) {
  const std::size_t apart = packed_bytes(matrix.elements, matrix.columns);
  decode(
      matrix.elements, matrix.codes.data() + static_cast<std::size_t>(row) * apart, 0, matrix.columns, out);
  const std::int64_t block = matrix.block == 0 ? std::max<std::int64_t>(matrix.columns, 1) : matrix.block;
  const std::int64_t per_row = (matrix.columns + block - 1) / block;
  for (std::int64_t b = 0; b < per_row; ++b) {
    float scale = 1;
    if (matrix.block != 0) {
      decode(matrix.scales, matrix.scale_codes.data(), row * per_row + b, 1, &scale);
    }
    for (std::int64_t i = b * block; i < std::min((b + 1) * block, matrix.columns); ++i) {
      out[i] = out[i] * scale * matrix.factor;
    }
  }
}

}  // namespace jissoku::numerics
