// The document as JSON text and back. One list of fields per struct serves both directions
// (fields.hpp); unknown keys are ignored on read, absent ones keep their defaults.
#pragma once

#include <string>
#include <string_view>

#include "jissoku/core/result.hpp"
#include "jissoku/document/model.hpp"

namespace jissoku::document {

/// UTF-8 JSON, keys in schema order, indented by one space per level, ends with a newline. The version
/// is the one of this program. Each row carries the figures of derive.hpp as "derived", for scripts;
/// the reader ignores them. Numbers print shortest that reads back; a double always has a point or an
/// exponent, so that 2.0 comes back as a double. A non-finite double becomes null and reads back as
/// NaN (as nullopt where the field is optional). Bytes that are not UTF-8 become U+FFFD.
std::string to_json(const Document& document);
/// The row on one line, without derived figures and newline.
std::string to_json_line(const Row& row);

/// Errors (unreadable): not JSON (with byte offset), not a run document, newer major version (names
/// both versions), wrong types (names the key path). `name` is the file for the message.
core::Result<Document> parse_document(std::string_view text, const std::string& name);

/// A file: a document, or the journal of a run that was cut short (`path` itself or
/// `path`.journal). A journal's torn last line is dropped; damage before the last line is an error.
/// Where both are there, a complete document wins, and of an incomplete one its own journal.
core::Result<Document> read_document(const std::string& path);

/// What --resume of `path` continues: the journal beside it, which belongs to a newer run than a
/// complete document there; else as read_document.
core::Result<Document> read_unfinished(const std::string& path);

}  // namespace jissoku::document
