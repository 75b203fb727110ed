// Rows by chunks: full ones between the caller's memory and the kernels, the rest through padded buffers.
#include <algorithm>
#include <array>
#include <cstring>

#include "jissoku/numerics/code_kernels.hpp"
#include "jissoku/numerics/random.hpp"

namespace jissoku::numerics {
namespace {

constexpr std::size_t rounded_up(std::size_t count) {
  return (count + kStep - 1) / kStep * kStep;
}

bool has_kernels(DataType type) {
  return type != DataType::f32 && type != DataType::i32 && type != DataType::f64;
}

std::size_t bytes_of(DataType type, std::size_t count) {
  return packed_bytes(type, static_cast<std::int64_t>(count));
}

struct Buffers {
  alignas(64) std::array<float, kChunk> values;
  alignas(64) std::array<std::uint32_t, kChunk> codes;
  alignas(64) std::array<std::byte, kChunk> packed;
  alignas(64) std::array<std::uint32_t, kChunk> random;
};

/// Packs if the codes are narrower than a byte, and copies what belongs to `count` codes.
void put(const CodeKernels& kernels, DataType type, Buffers& buffers, std::size_t count, std::byte* out) {
  const void* from = buffers.codes.data();
  const int bits = storage_bits(type);
  if (bits < 8) {
    const auto* bytes = reinterpret_cast<std::uint8_t*>(buffers.codes.data());
    kernels.pack(bits, bytes, rounded_up(count), buffers.packed.data());
    from = buffers.packed.data();
  }
  std::memcpy(out, from, bytes_of(type, count));
}

/// The next `count` codes, each a byte or wider, in memory that is padded to whole steps.
const void* get(
    const CodeKernels& kernels, DataType type, Buffers& buffers, std::size_t count, const std::byte* in) {
  const int bits = storage_bits(type);
  const bool whole = count % kStep == 0;
  if (bits >= 8) {
    if (whole) {
      return in;
    }
    std::memcpy(buffers.codes.data(), in, bytes_of(type, count));
    return buffers.codes.data();
  }
  if (!whole) {
    std::memcpy(buffers.packed.data(), in, bytes_of(type, count));
    in = buffers.packed.data();
  }
  auto* codes = reinterpret_cast<std::uint8_t*>(buffers.codes.data());
  kernels.unpack(bits, in, rounded_up(count), codes);
  return codes;
}

void draw(Buffers& buffers, std::uint64_t seed, std::size_t first, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    buffers.random[i] = static_cast<std::uint32_t>(random_bits(seed, first + i) >> 32U);
  }
}

/// Types without kernels: 32 bits each.
void decode_words(DataType type, const std::byte* in, std::int64_t count, float* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint32_t code = 0;
    std::memcpy(&code, in + i * 4, sizeof(code));
    out[i] = decode(type, code);
  }
}

void encode_words(
    DataType type, const float* in, std::int64_t count, std::byte* out, const Conversion& conversion) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto random = random_bits(conversion.seed, static_cast<std::uint64_t>(i)) >> 32U;
    const std::uint32_t code = encode(type, in[i], conversion, static_cast<std::uint32_t>(random));
    std::memcpy(out + i * 4, &code, sizeof(code));
  }
}

}  // namespace

void encode_scaled_row(const CodeKernels& kernels,
                       DataType type,
                       const ScaledRow& row,
                       std::byte* out,
                       const Conversion& conversion) {
  Buffers buffers;
  const auto total = static_cast<std::size_t>(row.count);
  for (std::size_t at = 0; at < total; at += kChunk) {
    const std::size_t count = std::min(kChunk, total - at);
    const bool whole = count % kStep == 0;
    const bool direct = whole && storage_bits(type) == 8;
    std::byte* to = out + bytes_of(type, at);
    EncodeJob job = {row.in + at, rounded_up(count), buffers.codes.data(), conversion};
    if (!whole) {
      std::copy_n(row.in + at, count, buffers.values.data());
      std::fill(buffers.values.data() + count, buffers.values.data() + job.count, 0.0F);
      job.in = buffers.values.data();
    }
    if (direct) {
      job.codes = to;
    }
    if (conversion.rounding == Rounding::stochastic) {
      draw(buffers, conversion.seed, at, job.count);
      job.random = buffers.random.data();
    }
    std::array<float, kChunk / 16> multipliers{};
    if (row.multipliers != nullptr) {
      std::copy_n(row.multipliers + at / 16, (count + 15) / 16, multipliers.data());
      job.multipliers = multipliers.data();
      job.tally = row.tally;
    }
    kernels.encode(type, job);
    if (!direct) {
      put(kernels, type, buffers, count, to);
    }
  }
}

void encode_row(const CodeKernels& kernels,
                DataType type,
                const float* in,
                std::int64_t count,
                std::byte* out,
                const Conversion& conversion) {
  if (count == 0) {
    return;  // pointers may be null
  }
  if (has_kernels(type)) {
    encode_scaled_row(kernels, type, {in, count}, out, conversion);
  } else if (type == DataType::f32) {
    std::memcpy(out, in, static_cast<std::size_t>(count) * sizeof(float));
  } else {
    encode_words(type, in, count, out, conversion);
  }
}

void decode_row(const CodeKernels& kernels,
                DataType type,
                const std::byte* in,
                std::int64_t first,
                std::int64_t count,
                float* out) {
  if (count == 0) {
    return;  // pointers may be null
  }
  if (type == DataType::f32 || type == DataType::tf32) {
    std::memcpy(out, in + first * 4, static_cast<std::size_t>(count) * sizeof(float));
    return;
  }
  if (!has_kernels(type)) {
    decode_words(type, in + first * 4, count, out);
    return;
  }
  Buffers buffers;
  // From the byte boundary before `first` on; what lies between is decoded and dropped.
  const auto group = static_cast<std::int64_t>(storage_bits(type) == 6 ? 4 : 2);
  auto skipped = static_cast<std::size_t>(storage_bits(type) < 8 ? first % group : 0);
  in += bytes_of(type, static_cast<std::size_t>(first) - skipped);
  const std::size_t total = static_cast<std::size_t>(count) + skipped;
  for (std::size_t at = 0; at < total; at += kChunk) {
    const std::size_t here = std::min(kChunk, total - at);
    const void* codes = get(kernels, type, buffers, here, in + bytes_of(type, at));
    if (here % kStep == 0 && skipped == 0) {
      kernels.decode(type, codes, here, out);
    } else {
      kernels.decode(type, codes, rounded_up(here), buffers.values.data());
      std::copy(buffers.values.data() + skipped, buffers.values.data() + here, out);
    }
    out += here - skipped;
    skipped = 0;
  }
}

}  // namespace jissoku::numerics
