// Files that survive a kill: written whole beside the old one, flushed to disk, renamed into place. Internal
// to this layer. Failures to write are `unwritable`, failures to read `unreadable`, both with path and
// reason.
#pragma once

#include <string>
#include <string_view>

#include "jissoku/core/descriptor.hpp"
#include "jissoku/core/result.hpp"

namespace jissoku::document {

core::Error unwritable(const std::string& path, int error_number);

/// Creates the folders above `path` and looks whether a file can be put there: fails for a folder, a device
/// and a file that must not be written.
core::Status prepare_target(const std::string& path);

/// Opens (or creates) the file and takes the lock that keeps other runs out until it is closed. Fails with
/// `document.locked` if another process, or another descriptor of this one, has it.
core::Result<core::Descriptor> open_locked(const std::string& path);

/// Appends and flushes to disk. On failure what was written of `text` is taken back where possible.
core::Status append(const core::Descriptor& file, std::string_view text, const std::string& path);

/// Replaces `path` by a file with this text, through `path`.tmp; a symbolic link stays one. Gives the new
/// file open for appending, and locked. Whatever fails, the old file stays.
core::Result<core::Descriptor> replace_file(const std::string& path, std::string_view text);

/// True if the file is there and holds anything.
bool has_content(const std::string& path);

/// At most 1 GiB.
core::Result<std::string> read_text(const std::string& path);

}  // namespace jissoku::document
