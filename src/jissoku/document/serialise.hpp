// The document as JSON text and back. One list of fields per struct serves both directions
// (fields.hpp); unknown keys are ignored on read, absent ones keep their defaults.
#pragma once

#include <string>
#include <string_view>

#include "jissoku/core/result.hpp"
#include "jissoku/document/model.hpp"

namespace jissoku::document {

/// UTF-8 JSON, keys in schema order, indented by one space per level, ends with a newline.
/// Numbers print shortest that reads back; a non-finite double becomes null.
std::string to_json(const Document& document);
/// One line.
std::string to_json_line(const Row& row);

/// Errors (unreadable): not JSON (with byte offset), not a run document, newer major version (names
/// both versions), wrong types (names the key path). `name` is the file for the message.
core::Result<Document> parse_document(std::string_view text, const std::string& name);

/// A file: a document, or the journal of a run that was cut short (`path` itself or
/// `path`.journal). A journal's torn last line is dropped; damage before the last line is an error.
core::Result<Document> read_document(const std::string& path);

}  // namespace jissoku::document
