// Matrix products: per product a table of all that computed it, and below it what its numbers rest on.
#pragma once

#include "jissoku/core/catalogue.hpp"
#include "jissoku/document/model.hpp"
#include "jissoku/report/page.hpp"

namespace jissoku::report {

/// Empty without rows of experiment "matmul".
Page matmul_page(const document::Document& document, const core::Catalogue& catalogue);

}  // namespace jissoku::report
