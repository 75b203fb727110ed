#include "jissoku/report/markdown.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "jissoku/report/document_view.hpp"
#include "jissoku/report/layout.hpp"

namespace jissoku::report {
namespace {

/// Text that GitHub shows as it is: nothing in it is markup.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char character : printable(text, true)) {
    constexpr std::string_view kMarkup = "\\`*_{}[]<>#|~^$&";
    if (kMarkup.find(character) != std::string_view::npos) {
      out += '\\';
    }
    out += character;
  }
  return out;
}

/// A command between as many backticks as it takes.
std::string code(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char character : text) {
    run = character == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const std::string pad = longest > 0 ? " " : "";
  return fence + pad + printable(text, true) + pad + fence;
}

/// A column of the text with those glued to it: one column here.
struct Group {
  std::size_t first = 0, end = 0;
};

std::vector<Group> groups(const Table& table) {
  std::vector<Group> out;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    if (table.columns[column].glued && !out.empty()) {
      out.back().end = column + 1;
    } else {
      out.push_back({column, column + 1});
    }
  }
  const auto is_empty = [&](const Group& group) {
    return std::all_of(table.rows.begin(), table.rows.end(), [&](const TableRow& row) {
      for (std::size_t column = group.first; column < std::min(group.end, row.cells.size()); ++column) {
        if (!row.cells[column].empty()) {
          return false;
        }
      }
      return true;
    });
  };
  // A remark needs a column beside the name.
  out.erase(
      std::remove_if(
          out.begin(), out.end(), [&](const Group& group) { return group.first > 0 && is_empty(group); }),
      out.end());
  return out;
}

std::string cell(const TableRow& row, const Group& group) {
  std::string out;
  for (std::size_t column = group.first; column < std::min(group.end, row.cells.size()); ++column) {
    out += row.cells[column] + " ";
  }
  return escaped(squeezed(out));
}

std::string lines_below(const Table& table) {
  std::string out;
  for (const TableRow& row : table.rows) {
    if (!row.below.empty()) {
      out += (out.empty() ? "\n- " : "- ") + escaped(row.cells.front()) + ": " + code(row.below) + "\n";
    }
  }
  return out;
}

std::string render(const Table& table) {
  std::vector<Group> shown = groups(table);
  const bool remarks = std::any_of(
      table.rows.begin(), table.rows.end(), [](const TableRow& row) { return !row.remark.empty(); });
  const bool own_column = remarks && shown.size() < 2;
  std::string titles = "|";
  std::string rule = "|";
  for (const Group& group : shown) {
    const Column& column = table.columns[group.first];
    titles += " " + escaped(column.title) + " |";
    rule += column.align == Align::right ? " ---: |" : " --- |";
  }
  std::string out = titles + (own_column ? " |" : "") + "\n" + rule + (own_column ? " --- |" : "") + "\n";
  for (const TableRow& row : table.rows) {
    std::string line = "|";
    bool remarked = row.remark.empty();
    for (const Group& group : shown) {
      const bool here = !remarked && group.first >= row.cells.size();
      line += " " + (here ? escaped(row.remark) : cell(row, group)) + " |";
      remarked = remarked || here;
    }
    out += line + (own_column ? " " + escaped(row.remark) + " |" : "") + "\n";
  }
  return out + lines_below(table);
}

std::string render(const Heading& heading) {
  return "### " + escaped(heading.text) + "\n";
}

std::string render(const Paragraph& paragraph) {
  return escaped(paragraph.text) + "\n";
}

std::string render(const Facts& facts) {
  std::string out;
  for (const Fact& fact : facts.items) {
    out +=
        "- **" + escaped(fact.label) + "**: " + (fact.verbatim ? code(fact.text) : escaped(fact.text)) + "\n";
  }
  return out;
}

}  // namespace

std::string render_markdown(const document::Document& document, const core::Catalogue& catalogue) {
  std::string out;
  for (const Element& element : document_page(document, catalogue, "")) {
    out += (out.empty() ? "" : "\n") + std::visit([](const auto& one) { return render(one); }, element);
  }
  return out;
}

}  // namespace jissoku::report
