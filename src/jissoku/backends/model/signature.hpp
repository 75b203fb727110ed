// Whether a launch would compute what is there already.
#pragma once

#include <string>

#include "jissoku/device/operation.hpp"

namespace jissoku::backends::model {

/// All that the result of the operation depends on: itself, its buffers, and how often the ones it reads
/// were written. Equal texts mean equal results. "" where that cannot be told: an operation that reads
/// what it writes, or whose memory the host can write unseen, or buffers that are no ModelBuffer.
std::string signature_of(const device::Operation& operation);

}  // namespace jissoku::backends::model
