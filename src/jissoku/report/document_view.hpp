// The whole document as one page: what text and Markdown have in common.
#pragma once

#include <string>

#include "jissoku/core/catalogue.hpp"
#include "jissoku/document/model.hpp"
#include "jissoku/report/page.hpp"

namespace jissoku::report {

/// `saved_path`: where the document lies; told if not empty.
Page document_page(const document::Document& document,
                   const core::Catalogue& catalogue,
                   const std::string& saved_path);

}  // namespace jissoku::report
