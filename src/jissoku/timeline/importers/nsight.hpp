// Nsight Systems' SQLite export.
#pragma once

#include <string>

#include "jissoku/core/result.hpp"
#include "jissoku/timeline/model.hpp"

namespace jissoku::timeline::importers {

/// Opened read-only. Tables and columns that are not there are nothing recorded. Errors (unreadable): a
/// database of something else, or one that is damaged.
core::Result<Timeline> read_nsight(const std::string& path);

}  // namespace jissoku::timeline::importers
