// The parts in which a run arrives: what RowSink is given and what a line of the journal holds. Internal to
// this layer.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "jissoku/core/result.hpp"
#include "jissoku/document/model.hpp"

namespace jissoku::document {

struct NoiseFloor {
  double relative = 0;
};

using Plan = std::vector<PlannedCase>;
using Part = std::variant<Header, Plan, NoiseFloor, Row, Finding, Fit, Series, Attachment>;

/// Puts a part into the document; one that is given again replaces the earlier one (see RowSink).
void add_part(Document& document, Part part);

/// The document as parts, the header first: adding them to an empty document gives it again.
std::vector<Part> parts_of(const Document& document);

/// How a journal starts; nothing else this program writes does.
inline constexpr std::string_view kJournalStart = "{\"journal\":";

/// One line of JSON with its newline: an object with one key that names the part; the header's line starts
/// with the journal's version.
std::string to_line(const Part& part);

/// The document that a journal's text holds. `name` is the file for messages. Errors (unreadable): no
/// header, newer major version, damage before the last line (with line and byte), wrong types.
core::Result<Document> parse_journal(std::string_view text, const std::string& name);

}  // namespace jissoku::document
