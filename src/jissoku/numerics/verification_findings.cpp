// What a failed verification says.
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

#include "jissoku/numerics/verification_checks.hpp"

namespace jissoku::numerics::detail {
namespace {

/// Shortest digits that give the value back in the type of C.
std::string digits(double value, DataType type) {
  char text[40];
  const std::to_chars_result end = type == DataType::f32
                                       ? std::to_chars(text, text + sizeof text, static_cast<float>(value))
                                       : std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

/// Compared as bits, since a NaN equals nothing.
bool holds_poison(const Matrix& c, std::int64_t row, std::int64_t column) {
  const std::int64_t offset = row * c.stored.leading_dimension + column;
  if (c.stored.type == DataType::f32) {
    return bits(static_cast<const float*>(c.stored.data)[offset]) == bits(poison_f32());
  }
  return bits(static_cast<const double*>(c.stored.data)[offset]) == bits(poison_f64());
}

struct Places {
  std::int64_t count = 0, row = 0, column = 0;  ///< of the first one
  void add(std::int64_t i, std::int64_t j) {
    if (count++ == 0) {
      row = i;
      column = j;
    }
  }
};

}  // namespace

core::Message find_unusable(const Product& product) {
  const Matrix c{product.c.stored, false};  // in the rows and columns of the caller
  Places unwritten;
  Places unusable;
  for (std::int64_t i = 0; i < c.rows(); ++i) {
    for (std::int64_t j = 0; j < c.columns(); ++j) {
      if (std::isfinite(c.at(i, j))) {
        continue;
      }
      (holds_poison(c, i, j) ? unwritten : unusable).add(i, j);
    }
  }
  if (unwritten.count > 0) {
    return core::message("verify.unwritten",
                         {{"count", unwritten.count},
                          {"elements", c.rows() * c.columns()},
                          {"row", unwritten.row},
                          {"column", unwritten.column}});
  }
  if (unusable.count > 0) {
    return core::message("verify.not_finite",
                         {{"count", unusable.count},
                          {"value", digits(c.at(unusable.row, unusable.column), c.stored.type)},
                          {"row", unusable.row},
                          {"column", unusable.column}});
  }
  return {};
}

core::Message find_impossible_integer(const Product& product) {
  const Matrix c{product.c.stored, false};
  for (std::int64_t i = 0; i < c.rows(); ++i) {
    for (std::int64_t j = 0; j < c.columns(); ++j) {
      const double value = c.at(i, j);
      if (std::trunc(value) != value || std::abs(value) > 0x1p53) {
        return core::message("verify.not_integer",
                             {{"value", digits(value, c.stored.type)}, {"row", i}, {"column", j}});
      }
    }
  }
  return {};
}

core::Message wrong_element(const Product& product, const Element& element) {
  const DataType type = product.c.stored.type;
  const bool flipped = product.c.transposed;
  return core::message("verify.wrong_element",
                       {{"row", flipped ? element.column : element.row},
                        {"column", flipped ? element.row : element.column},
                        {"found", digits(element.found, type)},
                        {"expected", digits(element.reference, type)},
                        {"permitted", element.bound}});
}

core::Message wrong_line(std::int64_t line, bool is_column) {
  return is_column ? core::message("verify.wrong_column", {{"column", line}})
                   : core::message("verify.wrong_row", {{"row", line}});
}

core::Message unproven() {
  return core::message("verify.unproven");
}

}  // namespace jissoku::numerics::detail
