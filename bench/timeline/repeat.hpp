// A trace repeated until it has a size, as a .json.gz.
#pragma once

#include <string>

namespace jissoku::bench {

/// The events of `source` (JSON, also packed) over and over, each time later by the trace's length and with
/// ids of their own, so that nothing folds into the first copy. False if it is no Kineto or Chrome trace or
/// cannot be written.
bool repeated_gzip(const std::string& source, double raw_bytes, const std::string& target);

}  // namespace jissoku::bench
