// Integer operands: equality. Large products by Freivalds' check (1979) modulo 2^64 with random odd
// 16-bit weights. One wrong element, off by e, changes the checksum of its row by e x, and e x = 0
// modulo 2^64 is impossible for odd x and 0 < |e| < 2^63: the check sees it for certain. Several
// wrong elements of one row cancel for one weight in 2^15.
#include <algorithm>
#include <cmath>
#include <vector>

#include "jissoku/numerics/random.hpp"
#include "jissoku/numerics/verification_checks.hpp"
#include "jissoku/numerics/verification_passes.hpp"

namespace jissoku::numerics::detail {
namespace {

using Residues = std::vector<std::uint64_t>;

std::size_t index(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

/// Odd integers in (-2^15, 2^15), in two's complement.
Residues odd_weights(std::int64_t count, std::uint64_t seed) {
  Residues weights(index(count));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto bits = static_cast<std::int64_t>(random_bits(seed, i) & 0x7FFFU);
    weights[i] = static_cast<std::uint64_t>(2 * bits + 1 - (1 << 15));
  }
  return weights;
}

std::uint64_t to_residue(double integer) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(integer));
}

/// The checksums of one side: rows of the product, or columns when given its transpose.
struct Side {
  Residues weights;      ///< x
  Residues expected;     ///< alpha A (B x) + beta C0 x
  Residues found;        ///< C x
  bool integers = true;  ///< C holds integers only
  bool zero = false;     ///< C is all zeros

  /// The first line whose checksum differs; -1 where none does.
  std::int64_t first_wrong() const {
    const auto [at, other] = std::mismatch(found.begin(), found.end(), expected.begin());
    return at == found.end() ? -1 : at - found.begin();
  }
};

Side checksums(const Product& product, const IntegerLineSums& b_sums, Residues weights, int threads) {
  Side side;
  side.weights = std::move(weights);
  side.expected = integer_line_sums(product.a, b_sums.sum, threads).sum;
  for (std::uint64_t& value : side.expected) {
    value *= to_residue(product.alpha);
  }
  if (product.beta != 0) {
    const Residues before = integer_line_sums(product.c_before, side.weights, threads).sum;
    for (std::size_t i = 0; i < before.size(); ++i) {
      side.expected[i] += to_residue(product.beta) * before[i];
    }
  }
  IntegerLineSums found = integer_line_sums(product.c, side.weights, threads);
  side.found = std::move(found.sum);
  side.integers = found.integers;
  side.zero = found.max_abs == 0;
  return side;
}

/// What is known of the operands: the first products of both sides, made on the way.
struct Operands {
  Residues right_weights, left_weights;
  IntegerLineSums b_right, a_left;
  double largest_sum = 0;  ///< no partial sum of any element is larger
  bool integers = true;
};

Operands read_operands(const Product& product, const Settings& settings) {
  Operands out;
  out.right_weights = odd_weights(product.n(), settings.seed);
  out.left_weights = odd_weights(product.m(), settings.seed + 1);
  out.b_right = integer_line_sums(product.b, out.right_weights, settings.threads);
  out.a_left = integer_line_sums(product.a.transpose(), out.left_weights, settings.threads);
  const double scale = std::max(1.0, std::abs(product.alpha));  // alpha may be applied before or after
  out.largest_sum = scale * static_cast<double>(product.k()) * out.b_right.max_abs * out.a_left.max_abs;
  out.integers = out.b_right.integers && out.a_left.integers;
  if (product.beta != 0) {
    const IntegerLineSums before = integer_line_sums(product.c_before, out.right_weights, settings.threads);
    out.largest_sum += std::max(1.0, std::abs(product.beta)) * before.max_abs;
    out.integers = out.integers && before.integers;
  }
  return out;
}

bool is_integer(double value) {
  return std::trunc(value) == value && std::abs(value) <= 0x1p53;
}

/// The largest integer that the accumulator, C and FP64 all hold exactly with everything below it.
double exact_limit(const Product& product) {
  const double accumulator = 1 / product.unit;
  const double output = 1 / product.output_unit;
  return std::min({accumulator, output, 0x1p53});
}

/// Looks for the wrong element: where wrong checksums cross, else in the whole row or column.
void locate(const Product& product, std::int64_t row, std::int64_t column, int threads, Verification& out) {
  const auto all = [](std::int64_t line, std::int64_t count) {
    return line >= 0 ? std::vector<std::int64_t>{line} : all_lines(count);
  };
  auto elements =
      compare_elements(product, all(row, product.m()), all(column, product.n()), Comparison::exact, threads);
  record_elements(product, elements, out);
  if (out.finding.empty() && row >= 0 && column >= 0) {
    locate(product, row, -1, threads, out);
  }
  if (out.finding.empty()) {
    out.finding = row >= 0 ? wrong_line(row, false) : wrong_line(column, true);
  }
}

/// The self-test on copies of the checksums: as of a result with one element off by `planted`, and of an
/// output of zeros (unless C is one).
bool catches_errors(Side right, Side left, std::int64_t planted, std::uint64_t seed) {
  const auto pick = [&](std::uint64_t draw, const Residues& lines) {
    return random_bits(seed, draw) % lines.size();
  };
  const std::size_t row = pick(0, right.found);
  const std::size_t column = pick(1, left.found);
  right.found[row] += static_cast<std::uint64_t>(planted) * right.weights[column];
  left.found[column] += static_cast<std::uint64_t>(planted) * left.weights[row];
  const bool planted_seen =
      right.found[row] != right.expected[row] && left.found[column] != left.expected[column];
  std::fill(right.found.begin(), right.found.end(), 0);
  return planted_seen && (right.zero || right.first_wrong() >= 0);
}

void check_in_full(const Product& product, const Settings& settings, Verification& out) {
  const std::vector<Element> elements = compare_elements(
      product, all_lines(product.m()), all_lines(product.n()), Comparison::exact, settings.threads);
  record_elements(product, elements, out);
  out.self_test = elements_catch_errors(elements, 2 * out.detection_limit, settings.seed);
}

void check_by_sums(const Product& product, const Settings& settings, Operands& operands, Verification& out) {
  record_elements(product, compare_sample(product, settings, Comparison::exact), out);
  const Side right =
      checksums(product, operands.b_right, std::move(operands.right_weights), settings.threads);
  const Side left =
      checksums(product.transpose(), operands.a_left, std::move(operands.left_weights), settings.threads);
  if (!right.integers) {
    out.finding = find_unusable(product);
    if (out.finding.empty()) {
      out.finding = find_impossible_integer(product);
    }
  }
  const std::int64_t row = right.first_wrong();
  const std::int64_t column = left.first_wrong();
  if (out.finding.empty() && (row >= 0 || column >= 0)) {
    locate(product, row, column, settings.threads, out);
  }
  const auto planted = static_cast<std::int64_t>(2 * out.detection_limit);
  out.self_test = catches_errors(right, left, planted, settings.seed + 4);
}

}  // namespace

std::optional<Verification> verify_exact(const Product& product, const Settings& settings) {
  if (!is_integer(product.alpha) || !is_integer(product.beta)) {
    return std::nullopt;
  }
  Operands operands = read_operands(product, settings);
  if (!operands.integers || !(operands.largest_sum <= exact_limit(product))) {
    return std::nullopt;
  }
  Verification out;
  out.detection_limit = 1;  // sums up to exact_limit() are spaced by 1
  const bool full = compared_in_full(product, settings.sizes);
  out.method = full ? "exact" : "exact_freivalds";
  if (full) {
    check_in_full(product, settings, out);
  } else {
    check_by_sums(product, settings, operands, out);
  }
  return out;
}

}  // namespace jissoku::numerics::detail
