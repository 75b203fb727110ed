#include "jissoku/report/table.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "jissoku/core/text.hpp"

namespace jissoku::report {
namespace {

using core::blanks;

constexpr int kIndent = 2;
constexpr int kGap = 2;
constexpr int kGluedGap = 1;

/// One column on the screen.
struct Slot {
  std::size_t column = 0;
  int width = 0;
  int gap = 0;  ///< before it
};

const std::string& cell(const TableRow& row, std::size_t column) {
  static const std::string kNothing;
  return column < row.cells.size() ? row.cells[column] : kNothing;
}

int widest_cell(const Table& table, std::size_t column) {
  int width = 0;
  for (const TableRow& row : table.rows) {
    width = std::max(width, core::display_width(cell(row, column)));
  }
  return width;
}

bool is_empty(const Table& table, std::size_t column) {
  return widest_cell(table, column) == 0;
}

/// A title stands over its column and the ones glued to it; where it is wider, the last of them grows.
void make_room_for_titles(const Table& table, std::vector<Slot>& slots) {
  for (std::size_t first = 0; first < slots.size();) {
    std::size_t end = first + 1;
    int width = slots[first].width;
    while (end < slots.size() && table.columns[slots[end].column].glued) {
      width += slots[end].gap + slots[end].width;
      ++end;
    }
    slots[end - 1].width +=
        std::max(0, core::display_width(table.columns[slots[first].column].title) - width);
    first = end;
  }
}

std::vector<Slot> lay_out(const Table& table, const std::vector<bool>& shown) {
  std::vector<Slot> slots;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    if (shown[column]) {
      const int gap = slots.empty() ? kIndent : table.columns[column].glued ? kGluedGap : kGap;
      slots.push_back({column, widest_cell(table, column), gap});
    }
  }
  make_room_for_titles(table, slots);
  return slots;
}

int total_width(const std::vector<Slot>& slots) {
  int width = 0;
  for (const Slot& slot : slots) {
    width += slot.gap + slot.width;
  }
  return width;
}

/// The column to drop next, with what is glued to it; nullopt if none may go.
std::optional<std::size_t> next_to_drop(const Table& table, const std::vector<bool>& shown) {
  std::optional<std::size_t> worst;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const int rank = table.columns[column].drop_rank;
    if (shown[column] && rank > 0 && (!worst || rank > table.columns[*worst].drop_rank)) {
      worst = column;
    }
  }
  return worst;
}

void drop(const Table& table, std::size_t column, std::vector<bool>& shown) {
  shown[column] = false;
  for (std::size_t next = column + 1; next < shown.size() && table.columns[next].glued; ++next) {
    shown[next] = false;
  }
}

/// Slots of the widest form that fits; nullopt if none does.
std::optional<std::vector<Slot>> fit(const Table& table, int width) {
  std::vector<bool> shown(table.columns.size());
  for (std::size_t column = 0; column < shown.size(); ++column) {
    shown[column] = !is_empty(table, column);
  }
  while (true) {
    std::vector<Slot> slots = lay_out(table, shown);
    if (total_width(slots) <= width) {
      return slots;
    }
    const auto worst = next_to_drop(table, shown);
    if (!worst) {
      return std::nullopt;
    }
    drop(table, *worst, shown);
  }
}

std::string title_line(const Table& table, const std::vector<Slot>& slots) {
  std::string line;
  int at = 0;
  for (std::size_t index = 0; index < slots.size(); ++index) {
    const Slot& slot = slots[index];
    const Column& column = table.columns[slot.column];
    if (!column.glued) {
      const bool alone = index + 1 == slots.size() || !table.columns[slots[index + 1].column].glued;
      // Over a group of columns a title starts where the group starts.
      const Align align = alone ? column.align : Align::left;
      line = padded(line, at + slot.gap, Align::left) +
             (align == Align::right ? padded(column.title, slot.width, align) : column.title);
    }
    at += slot.gap + slot.width;
  }
  return without_trailing_blanks(line);
}

std::string row_lines(const TableRow& row,
                      const Table& table,
                      const std::vector<Slot>& slots,
                      const Style& style) {
  std::string line;
  int at = 0;
  for (const Slot& slot : slots) {
    if (!row.remark.empty() && slot.column >= row.cells.size()) {
      break;
    }
    line += blanks(slot.gap) + padded(cell(row, slot.column), slot.width, table.columns[slot.column].align);
    at += slot.gap + slot.width;
  }
  std::string out;
  if (row.remark.empty()) {
    out = painted(without_trailing_blanks(line), row.tone, style.color) + "\n";
  } else {
    const std::string first = painted(line, row.tone, style.color) + blanks(kGap);
    out = hanging(first, row.remark, at + kGap, row.tone, style);
  }
  if (!row.below.empty()) {
    out += hanging(blanks(2 * kIndent), row.below, 2 * kIndent, Tone::plain, style);
  }
  return out;
}

/// Every row as a list: the first cell, then "title  cells" for the others.
std::string stacked(const Table& table, const Style& style) {
  int label = 0;
  for (std::size_t column = 1; column < table.columns.size(); ++column) {
    label = std::max(label, core::display_width(table.columns[column].title));
  }
  label = std::min(label, style.width / 2);
  std::string out;
  for (const TableRow& row : table.rows) {
    const int inner = 2 * kIndent;
    out += hanging(blanks(kIndent), cell(row, 0), inner, row.tone, style);
    for (std::size_t column = 1; column < table.columns.size();) {
      std::string value = squeezed(cell(row, column));
      const std::string& title = table.columns[column].title;
      for (++column; column < table.columns.size() && table.columns[column].glued; ++column) {
        value = squeezed(value + " " + cell(row, column));
      }
      if (!value.empty()) {
        const std::string first = blanks(inner) + padded(title, label, Align::left) + blanks(kGap);
        out += hanging(first, value, core::display_width(first), row.tone, style);
      }
    }
    if (!row.remark.empty()) {
      out += hanging(blanks(inner), row.remark, inner, row.tone, style);
    }
    if (!row.below.empty()) {
      out += hanging(blanks(inner), row.below, inner, Tone::plain, style);
    }
  }
  return out;
}

/// Words need room: beside columns that leave less, the row is better a list.
bool remarks_have_room(const Table& table, const std::vector<Slot>& slots, int width) {
  constexpr int kLeastWords = 24;
  return std::all_of(table.rows.begin(), table.rows.end(), [&](const TableRow& row) {
    int at = 0;
    for (const Slot& slot : slots) {
      at += slot.column < row.cells.size() ? slot.gap + slot.width : 0;
    }
    return row.remark.empty() || at + kGap + kLeastWords <= width;
  });
}

}  // namespace

std::string render_table(const Table& table, const Style& style) {
  const auto slots = fit(table, style.width);
  if (!slots || !remarks_have_room(table, *slots, style.width)) {
    return stacked(table, style);
  }
  std::string out = title_line(table, *slots) + "\n";
  for (const TableRow& row : table.rows) {
    out += row_lines(row, table, *slots, style);
  }
  return out;
}

}  // namespace jissoku::report
