// The report as GitHub Markdown: the same content as the text, for a README or an issue.
#pragma once

#include <string>

#include "jissoku/core/catalogue.hpp"
#include "jissoku/document/model.hpp"

namespace jissoku::report {

std::string render_markdown(const document::Document& document, const core::Catalogue& catalogue);

}  // namespace jissoku::report
