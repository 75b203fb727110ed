// Rows of matrix products as a report shows them: what belongs into one table, what a row is called, and
// what is said where it has no number.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jissoku/core/catalogue.hpp"
#include "jissoku/document/model.hpp"

namespace jissoku::report {

/// Rows of one product (shape, types, transposes, factors, data, seed, cache state): one table. The quickest
/// first, those without a rate last.
struct Block {
  std::vector<const document::Row*> rows;  ///< of the document, which must outlive it; not empty
  bool modelled = false;                   ///< numbers of a model: never in a table with measured ones
};

/// Blocks in the order of the document, modelled ones last.
std::vector<Block> matmul_blocks(const document::Document& document);

bool has_rows_of(const document::Document& document, std::string_view experiment);

/// The device whose row it is: the record with the longest id that the row's device starts with, or nullptr.
const document::DeviceRecord* device_of(const document::Document& document, const document::Row& row);

/// "cpu:openblas"; "cpu auto -> oneDNN" (with an arrow) for the row that `auto` chose; "opencl:0 + copies".
std::string label(const document::Row& row, const core::Catalogue& catalogue);

/// Whether the time holds the copies to the device and back.
bool with_copies(const document::Row& row);

/// The library without what the label says already: "0.3.21" beside "cpu:openblas".
std::string engine(const document::Row& row);

/// Whether the row has a time that may be printed.
bool has_rate(const document::Row& row);
/// Why it has none: status and reason, one sentence.
core::Message absence(const document::Row& row);

/// A parameter as text, numbers without separators; "" when absent.
std::string parameter_text(const document::Row& row, std::string_view name);

/// "FP32" for "f32"; a format that this version does not know keeps its own name.
std::string type_name(const std::string& text);

/// The first ceiling of that kind with a known height, or nullptr.
const document::Ceiling* ceiling_of(const document::Row& row, std::string_view kind);

/// The row with that id, or nullptr.
const document::Row* find_row(const document::Document& document, std::string_view id);

/// Each message once, in order.
std::vector<core::Message> without_repeats(const std::vector<core::Message>& messages);

}  // namespace jissoku::report
