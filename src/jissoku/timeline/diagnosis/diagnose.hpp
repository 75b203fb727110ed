// From timelines to a diagnosis: what each device did, why it waited, what to do about it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jissoku/core/result.hpp"
#include "jissoku/timeline/analysis/copies.hpp"
#include "jissoku/timeline/analysis/device_activity.hpp"
#include "jissoku/timeline/analysis/launches.hpp"
#include "jissoku/timeline/analysis/precision.hpp"
#include "jissoku/timeline/analysis/steps.hpp"
#include "jissoku/timeline/diagnosis/causes.hpp"
#include "jissoku/timeline/diagnosis/trust.hpp"

namespace jissoku::timeline::diagnosis {

/// A host event, operator or kernel that shows a cause.
struct Evidence {
  std::string name;
  std::int64_t time_ns = 0;
  std::int64_t count = 0;
};

struct Finding {
  Cause cause = Cause::host_work;
  std::int64_t time_ns = 0;
  double share = 0;                            ///< of the window
  std::int64_t gaps = 0;                       ///< in how many gaps
  double gain_upper = 1;                       ///< whole time over the time without it (Amdahl), at best
  std::vector<Evidence> evidence;              ///< at most three, the largest first
  std::vector<analysis::Interval> look_at;     ///< at most three, the longest, by time
  std::string op, annotation, module, source;  ///< where most of it comes from; each may be empty
  std::int64_t rank = -1;                      ///< of a straggler
};

struct AdviceNote {
  Advice advice = Advice::precision_fp32;
  double share = 0;         ///< what it is a share of depends on the advice
  std::int64_t amount = 0;  ///< bytes or counts, likewise
};

struct DeviceDiagnosis {
  analysis::DeviceActivity activity;
  analysis::LaunchStatistics launches;
  analysis::PrecisionUse precision;
  std::vector<analysis::CopyGroup> copies;
  std::vector<TrustNote> trust;
  Verdict verdict = Verdict::healthy;
  std::vector<Finding> findings;  ///< the largest first; empty where the verdict is none about causes
  std::vector<AdviceNote> advice;
  /// Idle time without a finding, as shares of the window; together with the findings' idle time all of it.
  double inherent_share = 0, device_wait_share = 0, no_launch_share = 0, small_causes_share = 0;
};

struct Diagnosis {
  std::vector<TrustNote> trust;  ///< of the whole trace
  std::vector<DeviceDiagnosis> devices;
  std::vector<analysis::Step> steps;
  Verdict verdict = Verdict::no_gpu_work;  ///< of the device that is worst off
  /// Of a trace without GPU work: what may be the reason.
  std::vector<core::Message> no_work_reasons;
};

struct Part {
  std::optional<analysis::Interval> range;  ///< on the trace's clock
  std::optional<std::int64_t> step;         ///< "ProfilerStep#N"
  std::optional<std::int64_t> device;
};

/// Errors (usage): a step or device that the trace does not have.
core::Result<Diagnosis> diagnose(const Timeline& timeline, const Part& part);

/// What only several ranks show: added to the findings of the first device of each.
void find_stragglers(const std::vector<Timeline>& timelines, std::vector<Diagnosis>& diagnoses);

}  // namespace jissoku::timeline::diagnosis
