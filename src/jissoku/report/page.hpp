// A report as headings, paragraphs, tables and labelled facts, before it is decided how it is
// written: text.cpp lays a page out for a terminal, markdown.cpp for GitHub. Views make pages from
// documents (matmul_view.hpp, devices_view.hpp). All texts are UTF-8.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace jissoku::report {

/// What a text means for the reader; only what matters has a colour.
enum class Tone { plain, best, caution, failure };

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  /// 0: never dropped. Else dropped on a narrow terminal, the highest first.
  int drop_rank = 0;
  /// Belongs to the column before it: one blank apart, under that column's title.
  bool glued = false;
};

struct TableRow {
  std::vector<std::string> cells;  ///< missing ones at the end are empty
  Tone tone = Tone::plain;
  std::string remark;  ///< words from the first missing cell to the right edge, in place of numbers
  std::string below;   ///< a line of its own under the row
};

struct Table {
  std::vector<Column> columns;
  std::vector<TableRow> rows;
};

struct Heading {
  std::string text;
};

struct Paragraph {
  std::string text;
  Tone tone = Tone::plain;
};

/// "Peak   179 GFLOPS, measured".
struct Fact {
  std::string label;
  std::string text;
  Tone tone = Tone::plain;
  bool verbatim = false;  ///< a command or a path, to be copied
};

struct Facts {
  std::vector<Fact> items;
};

using Element = std::variant<Heading, Paragraph, Table, Facts>;
using Page = std::vector<Element>;

}  // namespace jissoku::report
