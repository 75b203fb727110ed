// The two methods behind verify_gemm, with the sizes that decide between their forms, so that tests
// can send small products through the forms meant for large ones.
#pragma once

#include <cstdint>
#include <optional>

#include "jissoku/numerics/verification_elements.hpp"
#include "jissoku/numerics/verification_matrix.hpp"

namespace jissoku::numerics::detail {

struct Sizes {
  /// Products up to this many multiplications are compared in full ...
  std::int64_t full_products = std::int64_t{1} << 22;
  /// ... if C has at most this many elements.
  std::int64_t full_elements = std::int64_t{1} << 20;
  /// Suspicious rows of C that a randomised check recomputes, at n x k multiplications each.
  std::int64_t recomputed_lines = 4;
  /// Rows, and columns, at whose crossings elements are compared individually.
  std::int64_t sampled_lines = 32;
  /// Fewest rows among which one can stand out.
  std::int64_t fewest_lines = 32;
};

/// verify_gemm with other sizes.
Verification verify_gemm(const GemmCheck& check, const Sizes& sizes);

/// What both methods need besides the product.
struct Settings {
  Sizes sizes;
  std::uint64_t seed = 1;
  int threads = 1;
};

/// Everything of a Verification but cost. The exact method gives nothing where the operands are not
/// integers or a sum might not be exact: the bounded one applies then.
std::optional<Verification> verify_exact(const Product& product, const Settings& settings);
Verification verify_bounded(const Product& product, const Settings& settings);

/// Whether the product is small enough to be compared in full.
bool compared_in_full(const Product& product, const Sizes& sizes);

/// Largest n such that all integers -n..n are values of the type; 0 for e8m0.
std::int64_t largest_exact_integer(DataType type);

// Findings. All look at C only where something is known to be wrong.

/// Elements never written, or not finite; empty where there are none.
core::Message find_unusable(const Product& product);
/// The first element that is not an integer, or too large to be a sum of exact ones; empty where there is
/// none.
core::Message find_impossible_integer(const Product& product);
/// An element that differs from its reference.
core::Message wrong_element(const Product& product, const Element& element);
/// A row (or column) whose checksum is wrong.
core::Message wrong_line(std::int64_t line, bool is_column);
/// The check missed an error planted into its evidence.
core::Message unproven();

/// Takes compared elements into a verification: count, largest errors, RMS, and the first finding of
/// a wrong one (that with the largest error in units of its bound).
void record_elements(const Product& product, const std::vector<Element>& elements, Verification& out);
/// A random sample of C, the corners among it.
std::vector<Element> compare_sample(const Product& product, const Settings& settings, Comparison comparison);

/// Whether one of the elements would be found wrong if it were 0.
bool sees_zeroed(const std::vector<Element>& elements);

/// The self-test of an element-wise comparison on copies of its evidence: with one element off by
/// `planted`, and with an output of zeros (unless C is one), an element must be found wrong.
bool elements_catch_errors(const std::vector<Element>& elements, double planted, std::uint64_t seed);

}  // namespace jissoku::numerics::detail
