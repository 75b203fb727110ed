// Reading traces: files and folders in, timelines out. What a file is, is found from its contents.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jissoku/core/result.hpp"
#include "jissoku/timeline/model.hpp"

namespace jissoku::timeline::importers {

/// All traces of `paths`, each of which is a file or a folder of files (not searched below). A tar archive
/// holds several. Ranks that a trace does not tell are counted in the order of names. Errors (unreadable):
/// a path that cannot be read or is no trace; of a folder only if none of its files is one.
core::Result<std::vector<Timeline>> import_all(const std::vector<std::string>& paths);

/// One JSON document that is in memory; `name` is the timeline's path.
core::Result<Timeline> import_text(const std::string& name, std::string_view text);

}  // namespace jissoku::timeline::importers
