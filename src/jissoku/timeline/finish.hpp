// Puts a freshly imported timeline in order: events sorted per lane, impossible times mended and counted.
#pragma once

#include "jissoku/timeline/model.hpp"

namespace jissoku::timeline {

/// Sets `by_lane`. Negative durations become 0; durations beyond everything the trace covers are cut to its
/// end; device events that run more than 1 ms into the next one of their stream are cut there (real overlap
/// on one stream, programmatic dependent launch, is shorter; collectives overlap for longer and are left);
/// events more than a day away from the middle of the trace are left out of `by_lane`.
void finish(Timeline& timeline);

/// Whether a kernel is a collective of NCCL, RCCL or the like.
bool is_collective(std::string_view kernel_name);

}  // namespace jissoku::timeline
