// The report for a terminal.
#pragma once

#include <string>

#include "jissoku/core/catalogue.hpp"
#include "jissoku/document/model.hpp"
#include "jissoku/report/page.hpp"

namespace jissoku::report {

struct TextOptions {
  int width = 100;   ///< display cells; no line is wider (from 20 up)
  bool utf8 = true;  ///< false: ASCII only
  bool color = false;
  std::string saved_path;  ///< where the document lies; told if not empty
};

/// A page of any origin.
std::string render_page(Page page, const TextOptions& options);

std::string render_text(const document::Document& document,
                        const core::Catalogue& catalogue,
                        const TextOptions& options);

}  // namespace jissoku::report
