// Merging the causes of single gaps into findings, and what besides idle time is worth a finding or advice.
#pragma once

#include <vector>

#include "jissoku/timeline/diagnosis/diagnose.hpp"
#include "jissoku/timeline/diagnosis/gaps.hpp"

namespace jissoku::timeline::diagnosis {

/// Fills findings, advice, verdict and the shares without a finding from the other members.
void conclude(const analysis::HostThreads& threads,
              const analysis::Launches& launches,
              DeviceDiagnosis& device);

double gain_upper(std::int64_t window_ns, std::int64_t saved_ns);
std::vector<AdviceNote> advise(const analysis::HostThreads& threads,
                               const DeviceDiagnosis& device,
                               std::int64_t steps);

}  // namespace jissoku::timeline::diagnosis
