#include "jissoku/report/text.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "jissoku/core/text.hpp"
#include "jissoku/report/document_view.hpp"
#include "jissoku/report/layout.hpp"
#include "jissoku/report/table.hpp"

namespace jissoku::report {
namespace {

using core::blanks;

constexpr int kIndent = 2;
constexpr int kGap = 2;
/// Below this width labels take a column that the sentences need.
constexpr int kLeastForLabelColumn = 60;
constexpr int kWidestLabelColumn = 24;

/// Everything in a page as this terminal can show it.
void make_printable(Page& page, bool utf8) {
  const auto clean = [utf8](std::string& text) { text = printable(text, utf8); };
  for (Element& element : page) {
    if (auto* heading = std::get_if<Heading>(&element)) {
      clean(heading->text);
    } else if (auto* paragraph = std::get_if<Paragraph>(&element)) {
      clean(paragraph->text);
    } else if (auto* facts = std::get_if<Facts>(&element)) {
      for (Fact& fact : facts->items) {
        clean(fact.label);
        clean(fact.text);
      }
    } else if (auto* table = std::get_if<Table>(&element)) {
      for (Column& column : table->columns) {
        clean(column.title);
      }
      for (TableRow& row : table->rows) {
        std::for_each(row.cells.begin(), row.cells.end(), clean);
        clean(row.remark);
        clean(row.below);
      }
    }
  }
}

/// One width for the labels of all facts, so that their texts start below each other.
int label_width(const Page& page) {
  int width = 0;
  for (const Element& element : page) {
    if (const auto* facts = std::get_if<Facts>(&element)) {
      for (const Fact& fact : facts->items) {
        width = std::max(width, core::display_width(fact.label));
      }
    }
  }
  return std::min(width, kWidestLabelColumn);
}

class TextWriter {
 public:
  TextWriter(const Style& style, int labels) : style_(style), labels_(labels) {}

  std::string write(const Page& page) {
    for (const Element& element : page) {
      // A heading belongs to what follows it, paragraphs to each other.
      const bool joined = after_heading_ || (after_paragraph_ && std::holds_alternative<Paragraph>(element));
      if (!out_.empty() && !joined) {
        out_ += "\n";
      }
      std::visit([this](const auto& one) { add(one); }, element);
      after_heading_ = std::holds_alternative<Heading>(element);
      after_paragraph_ = std::holds_alternative<Paragraph>(element);
    }
    return std::move(out_);
  }

 private:
  void add(const Heading& heading) { out_ += hanging("", heading.text, 0, Tone::best, style_); }

  void add(const Paragraph& paragraph) {
    const int indent = out_.empty() ? 0 : kIndent;
    out_ += hanging(blanks(indent), paragraph.text, indent, paragraph.tone, style_);
  }

  void add(const Table& table) { out_ += render_table(table, style_); }

  void add(const Facts& facts) {
    std::string last_label;
    for (const Fact& fact : facts.items) {
      add(fact, fact.label == last_label);
      last_label = fact.label;
    }
  }

  /// In a column of labels the same one is not said twice in a row.
  void add(const Fact& fact, bool label_said) {
    if (style_.width >= kLeastForLabelColumn && core::display_width(fact.label) <= labels_) {
      const std::string label = label_said ? "" : fact.label;
      const std::string first = blanks(kIndent) + padded(label, labels_, Align::left) + blanks(kGap);
      out_ += hanging(first, fact.text, kIndent + labels_ + kGap, fact.tone, style_);
      return;
    }
    out_ += hanging(blanks(kIndent), fact.label + ": " + fact.text, 2 * kIndent, fact.tone, style_);
  }

  const Style& style_;
  int labels_;
  std::string out_;
  bool after_heading_ = false;
  bool after_paragraph_ = false;
};

}  // namespace

std::string render_page(Page page, const TextOptions& options) {
  make_printable(page, options.utf8);
  const Style style{options.width, options.utf8, options.color};
  return TextWriter(style, label_width(page)).write(page);
}

std::string render_text(const document::Document& document,
                        const core::Catalogue& catalogue,
                        const TextOptions& options) {
  return render_page(document_page(document, catalogue, options.saved_path), options);
}

}  // namespace jissoku::report
