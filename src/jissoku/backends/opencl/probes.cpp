#include "jissoku/backends/opencl/probes.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace jissoku::embedded {
extern const std::string_view opencl_probes_cl;
}

namespace jissoku::backends::opencl {
namespace {

/// So small that sums stay near 1 however many rounds there are.
constexpr double kTerm = 1e-30;
constexpr double kScalar = 3;

core::Result<cl_kernel> kernel(OpenClStream& stream,
                               const ProbeConfig& config,
                               bool is_double,
                               const char* name) {
  const auto define = [](const char* macro, int value) {
    return std::string(" -D ") + macro + "=" + std::to_string(value);
  };
  std::string options = is_double ? "-D REAL=double -D REAL_IS_DOUBLE=1" : "-D REAL=float";
  options += define("WIDTH", config.width) + define("CHAINS", config.chains) + define("LOCAL", config.local);
  options += stream.runtime().facts().fused ? " -D USE_FMA=1" : "";
  return stream.runtime().kernel(embedded::opencl_probes_cl, options, name);
}

Range range_of(const ProbeConfig& config) {
  Range range;
  range.global[0] = static_cast<std::size_t>(config.items);
  range.local[0] = static_cast<std::size_t>(config.local);
  return range;
}

}  // namespace

ProbeConfig probe_config(const Facts& facts, bool is_double) {
  ProbeConfig config;
  const int units = std::max(facts.compute_units, 1);
  if (facts.is_cpu) {
    config.width = std::clamp(is_double ? facts.double_width : facts.float_width, 2, is_double ? 8 : 16);
    config.chains = facts.float_width >= 16 ? 24 : 12;  // the sums and two constants must fit the registers
    config.items = 256 * units;  // PoCL hands out many at a time: few would not spread evenly
    return config;
  }
  config.local = facts.max_work_group >= 64 ? 64 : 1;
  config.items = 2048 * units;
  config.width = is_double ? 2 : 4;
  config.strided = true;
  return config;
}

Rounds share_rounds(double flops, const ProbeConfig& config) {
  const double flops_per_round = 2.0 * config.width * config.chains;
  const auto rounds = static_cast<std::uint64_t>(std::ceil(std::max(flops, 1.0) / flops_per_round));
  const auto items = static_cast<std::uint64_t>(config.items);
  const std::uint64_t most = (rounds + items - 1) / items;
  return {most, items - (most * items - rounds)};
}

core::Status launch_fma_peak(OpenClStream& stream, const device::FmaPeak& peak, Commands& commands) {
  const bool is_double = peak.type == numerics::DataType::f64;
  const ProbeConfig config = probe_config(stream.runtime().facts(), is_double);
  const Rounds share = share_rounds(peak.flops, config);
  const auto out = stream.scratch(0, static_cast<std::size_t>(config.items) * sizeof(double));
  const auto made = kernel(stream, config, is_double, "fma_peak");
  if (!out || !made) {
    return out ? made.error() : out.error();
  }
  const auto rounds = static_cast<cl_ulong>(share.rounds);
  const auto longer = static_cast<cl_ulong>(share.longer);
  const core::Status set =
      is_double
          ? set_arguments(stream.runtime(), *made, *out, cl_double{1}, cl_double{kTerm}, rounds, longer)
          : set_arguments(
                stream.runtime(), *made, *out, cl_float{1}, static_cast<cl_float>(kTerm), rounds, longer);
  return set ? stream.run(*made, range_of(config), commands) : set;
}

core::Status launch_triad(OpenClStream& stream,
                          const device::MemoryTriad& triad,
                          cl_mem a,
                          cl_mem b,
                          cl_mem c,
                          Commands& commands) {
  const ProbeConfig config = probe_config(stream.runtime().facts(), true);
  const auto made = kernel(stream, config, true, "triad");
  if (!made) {
    return made.error();
  }
  const auto count = static_cast<cl_ulong>(triad.a.columns);
  const auto items = static_cast<cl_ulong>(config.items);
  const core::Status set = set_arguments(stream.runtime(),
                                         *made,
                                         a,
                                         static_cast<cl_ulong>(triad.a.offset_elements),
                                         b,
                                         static_cast<cl_ulong>(triad.b.offset_elements),
                                         c,
                                         static_cast<cl_ulong>(triad.c.offset_elements),
                                         cl_double{kScalar},
                                         count,
                                         (count + items - 1) / items,
                                         config.strided ? items : cl_ulong{1});
  return set ? stream.run(*made, range_of(config), commands) : set;
}

}  // namespace jissoku::backends::opencl
