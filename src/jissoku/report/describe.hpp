// What a row measures and how to read it, for --describe and for people who meet the table for the first
// time.
#pragma once

#include <string>

#include "jissoku/core/catalogue.hpp"
#include "jissoku/document/model.hpp"

namespace jissoku::report {

/// Two or three sentences about the row, in lines of at most `width` cells, each ended.
std::string describe(const document::Row& row, const core::Catalogue& catalogue, int width);

/// What each column of the table of a matrix product means.
std::string describe_columns(const core::Catalogue& catalogue, int width);

}  // namespace jissoku::report
