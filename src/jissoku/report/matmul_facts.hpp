// What the numbers of one product rest on, in words: ceilings, proof, clocks, and why a row is marked.
#pragma once

#include "jissoku/core/catalogue.hpp"
#include "jissoku/document/model.hpp"
#include "jissoku/report/page.hpp"
#include "jissoku/report/rows.hpp"

namespace jissoku::report {

Facts matmul_facts(const document::Document& document, const Block& block, const core::Catalogue& catalogue);

}  // namespace jissoku::report
