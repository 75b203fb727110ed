#include <algorithm>

#include "jissoku/timeline/diagnosis/findings.hpp"
#include "jissoku/timeline/diagnosis/thresholds.hpp"

namespace jissoku::timeline::diagnosis {
namespace {

double share(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Whether FP32 is slow on that device beside its matrix units: unknown devices are assumed to have some.
bool has_matrix_units(const DeviceInfo* info) {
  return info == nullptr || info->compute_major == 0 || info->compute_major >= thresholds::kTensorCoreMajor;
}

void advise_precision(const Timeline& timeline, const DeviceDiagnosis& device, std::vector<AdviceNote>& out) {
  const double fp32 = share(device.precision.fp32_ns, device.precision.kernels_ns);
  if (fp32 > thresholds::kFp32OfKernels && has_matrix_units(timeline.device_info(device.activity.device))) {
    out.push_back({Advice::precision_fp32, fp32, device.precision.fp32_ns});
  }
}

void advise_pageable(const DeviceDiagnosis& device, std::int64_t steps, std::vector<AdviceNote>& out) {
  std::int64_t bytes = 0;
  for (const analysis::CopyGroup& group : device.copies) {
    bytes += group.is_pageable() ? group.bytes : 0;
  }
  const std::int64_t per_step = bytes / std::max<std::int64_t>(steps, 1);
  if (per_step > thresholds::kPageableBytesPerStep) {
    out.push_back({Advice::pageable_memory, 0, per_step});
  }
}

/// Time-weighted: do most kernels leave multiprocessors without a block?
void advise_grid(const Timeline& timeline, const DeviceDiagnosis& device, std::vector<AdviceNote>& out) {
  const DeviceInfo* info = timeline.device_info(device.activity.device);
  if (info == nullptr || info->multiprocessors == 0) {
    return;
  }
  double blocks = 0;
  std::int64_t time = 0;
  for (const EventId id : device.activity.work) {
    const DeviceDetail* detail = timeline.device_detail(id);
    const bool said =
        timeline.events.category[id] == Category::kernel && detail != nullptr && detail->grid_blocks > 0;
    if (said) {
      // More blocks than multiprocessors fill no more than all of them.
      blocks +=
          std::min(static_cast<double>(detail->grid_blocks), static_cast<double>(info->multiprocessors)) *
          static_cast<double>(timeline.events.duration_ns[id]);
      time += timeline.events.duration_ns[id];
    }
  }
  const double used = time == 0 ? 1.0 : blocks / static_cast<double>(time) / info->multiprocessors;
  constexpr double kHalf = 0.5;
  if (used < kHalf) {
    out.push_back({Advice::small_grid, used, info->multiprocessors});
  }
}

void advise_memory(const Timeline& timeline, const DeviceDiagnosis& device, std::vector<AdviceNote>& out) {
  const DeviceInfo* info = timeline.device_info(device.activity.device);
  std::int64_t most = 0;
  for (const MemoryChange& change : timeline.memory) {
    most = change.device == device.activity.device ? std::max(most, change.total_reserved) : most;
  }
  const bool launch_bound =
      std::any_of(device.findings.begin(), device.findings.end(), [](const Finding& finding) {
        return finding.cause == Cause::launch_bound;
      });
  if (launch_bound && info != nullptr && most > 0 &&
      share(most, info->memory_bytes) < thresholds::kLowMemory && info->memory_bytes > 0) {
    out.push_back({Advice::low_memory_use, share(most, info->memory_bytes), most});
  }
}

}  // namespace

std::vector<AdviceNote> advise(const analysis::HostThreads& threads,
                               const DeviceDiagnosis& device,
                               std::int64_t steps) {
  std::vector<AdviceNote> out;
  const Timeline& timeline = threads.timeline();
  advise_precision(timeline, device, out);
  advise_pageable(device, steps, out);
  advise_grid(timeline, device, out);
  advise_memory(timeline, device, out);
  return out;
}

}  // namespace jissoku::timeline::diagnosis
