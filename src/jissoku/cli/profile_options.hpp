// What the flags of `profile` mean.
#pragma once

#include "jissoku/cli/options.hpp"
#include "jissoku/experiments/profile/profile.hpp"

namespace jissoku::cli {

core::Result<experiments::profile::Params> profile_params(const Parsed& parsed,
                                                          const MeasureOptions& measure);

/// One sentence for --describe.
core::Message describe_profile(const experiments::profile::Params& params);

}  // namespace jissoku::cli
