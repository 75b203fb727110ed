#include "jissoku/numerics/codes.hpp"

#include <bit>
#include <cassert>

#include "jissoku/numerics/code_formats.hpp"
#include "jissoku/numerics/code_kernels.hpp"

namespace jissoku::numerics {
std::size_t packed_bytes(DataType type, std::int64_t count) {
  return (static_cast<std::size_t>(count) * static_cast<std::size_t>(storage_bits(type)) + 7) / 8;
}

std::uint32_t encode(DataType type, float value, const Conversion& conversion, std::uint32_t random) {
  switch (type) {
    case DataType::f32:
      return std::bit_cast<std::uint32_t>(value);
    case DataType::tf32:
      return encode_float<kTf32>(value, conversion, random) << kTf32Shift;
    case DataType::f16:
      return encode_float<kF16>(value, conversion, random);
    case DataType::bf16:
      return encode_float<kBf16>(value, conversion, random);
    case DataType::e4m3:
      return encode_float<kE4m3>(value, conversion, random);
    case DataType::e5m2:
      return encode_float<kE5m2>(value, conversion, random);
    case DataType::e3m2:
      return encode_float<kE3m2>(value, conversion, random);
    case DataType::e2m3:
      return encode_float<kE2m3>(value, conversion, random);
    case DataType::e2m1:
      return encode_float<kE2m1>(value, conversion, random);
    case DataType::i8:
      return encode_integer<8>(value, conversion, random);
    case DataType::i32:
      return encode_integer<32>(value, conversion, random);
    case DataType::e8m0:
      return encode_e8m0(value, conversion, random);
    case DataType::f64:
      break;
  }
  assert(false && "no code of 32 bits and less");
  return 0;
}

float decode(DataType type, std::uint32_t code) {
  switch (type) {
    case DataType::f32:
    case DataType::tf32:
      return std::bit_cast<float>(code);
    case DataType::f16:
      return decode_float<kF16>(code);
    case DataType::bf16:
      return std::bit_cast<float>(code << 16U);
    case DataType::e4m3:
      return decode_float<kE4m3>(code);
    case DataType::e5m2:
      return decode_float<kE5m2>(code);
    case DataType::e3m2:
      return decode_float<kE3m2>(code);
    case DataType::e2m3:
      return decode_float<kE2m3>(code);
    case DataType::e2m1:
      return decode_float<kE2m1>(code);
    case DataType::i8:
      return static_cast<float>(static_cast<std::int8_t>(code));
    case DataType::i32:
      return static_cast<float>(static_cast<std::int32_t>(code));
    case DataType::e8m0:
      return decode_e8m0(code);
    case DataType::f64:
      break;
  }
  assert(false && "no code of 32 bits and less");
  return 0;
}

void encode(
    DataType type, const float* in, std::int64_t count, std::byte* out, const Conversion& conversion) {
  encode_row(*code_kernels().back(), type, in, count, out, conversion);
}

void decode(DataType type, const std::byte* in, std::int64_t first, std::int64_t count, float* out) {
  decode_row(*code_kernels().back(), type, in, first, count, out);
}

}  // namespace jissoku::numerics
