#include "jissoku/backends/opencl/gemm_config.hpp"

#include <algorithm>

namespace jissoku::backends::opencl {
namespace {

std::string define(const char* name, int value) {
  return std::string(" -D ") + name + "=" + std::to_string(value);
}

/// A CPU's registers of `width` elements must hold the tile, a row of B and an element of A: 32 of them with
/// AVX-512, 16 with less.
std::vector<GemmConfig> cpu_candidates(int width, bool many_registers) {
  std::vector<GemmConfig> candidates;
  for (const int vectors : many_registers ? std::vector{2, 3, 4} : std::vector{2, 3}) {
    GemmConfig& config = candidates.emplace_back();
    config.width = width;
    config.rows = (many_registers ? 24 : 12) / vectors;
    config.vectors = vectors;
    config.depth = 544;  // a panel of A: 13 KiB of FP32 with 6 rows, 26 KiB with 12
    config.block = std::max(1, 576 / config.columns());  // of B: 1.2 MiB of FP32
  }
  return candidates;
}

/// A tile for each work-item, 64 of them to a group. Written for any GPU and tuned for none.
std::vector<GemmConfig> gpu_candidates(const Facts& facts, bool is_double) {
  GemmConfig config;
  config.rows = is_double ? 4 : 8;
  config.width = is_double ? 2 : 4;
  config.vectors = 2;
  config.depth = 256;
  config.local_rows = config.local_columns = facts.max_work_group >= 64 ? 8 : 1;
  return {config};
}

}  // namespace

std::string GemmConfig::name(bool is_double) const {
  return std::to_string(rows) + "x" + std::to_string(columns()) + ", " + (is_double ? "double" : "float") +
         std::to_string(width);
}

std::vector<GemmConfig> gemm_candidates(const Facts& facts, bool is_double) {
  if (!facts.is_cpu) {
    return gpu_candidates(facts, is_double);
  }
  const int width = std::clamp(is_double ? facts.double_width : facts.float_width, 2, is_double ? 8 : 16);
  return cpu_candidates(width, facts.float_width >= 16);
}

std::string gemm_options(const GemmConfig& config, const GemmTypes& types, const Facts& facts) {
  std::string options = types.is_double() ? "-D REAL=double -D REAL_IS_DOUBLE=1" : "-D REAL=float";
  if (types.input == numerics::DataType::f16) {
    options += " -D IN_F16";
  } else if (types.input == numerics::DataType::bf16) {
    options += " -D IN_BF16";
  }
  options += define("MR", config.rows) + define("NV", config.vectors) + define("WIDTH", config.width) +
             define("PACK_DEPTH", kPackDepth) + define("PACK_LOCAL", config.local_rows) +
             define("LOCAL_ROWS", config.local_rows) + define("LOCAL_COLUMNS", config.local_columns);
  options += facts.fused ? " -D USE_FMA=1" : "";
  options += facts.is_pocl() && facts.is_cpu ? " -D CPU_PREFETCH" : "";
  return options + " -w";  // PoCL's compiler writes warnings to standard error, in the middle of our output
}

bool reads_a_in_place(const GemmConfig& config, const GemmTypes& types, const Facts& facts) {
  constexpr int kMostRows = 8;
  return facts.is_cpu && types.input == types.output && config.rows <= kMostRows;
}

std::int64_t round_up(std::int64_t count, std::int64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

std::int64_t piece_depth(std::int64_t k, int most) {
  const std::int64_t pieces = (k + most - 1) / most;
  return std::min(k, round_up((k + pieces - 1) / pieces, 16));
}

std::int64_t panels_of(std::int64_t count, int lanes) {
  return (count + lanes - 1) / lanes;
}

double padding(const GemmConfig& config, std::int64_t m, std::int64_t n) {
  const auto share = [](std::int64_t count, int lanes) {
    return static_cast<double>(panels_of(count, lanes) * lanes) / static_cast<double>(count);
  };
  return share(m, config.rows) * share(n, config.columns());
}

std::int64_t batch_at_once(std::int64_t batch, double bytes_each, double limit_bytes) {
  return std::clamp(static_cast<std::int64_t>(limit_bytes / std::max(bytes_each, 1.0)),
                    std::int64_t{1},
                    std::max(batch, std::int64_t{1}));
}

}  // namespace jissoku::backends::opencl
