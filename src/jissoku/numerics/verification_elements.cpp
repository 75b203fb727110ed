#include "jissoku/numerics/verification_elements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "jissoku/numerics/random.hpp"
#include "jissoku/numerics/verification_passes.hpp"

namespace jissoku::numerics::detail {
namespace {

constexpr std::size_t kLanes = 4;
constexpr std::int64_t kBlock = 64;              // columns of B that are packed at a time
constexpr std::int64_t kPackedValues = 1 << 20;  // at most, per packed block and per sample
constexpr std::int64_t kWorthThreads = 1 << 18;  // multiplications

std::size_t index(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

struct Dot {
  long double value = 0;  ///< sum of products
  double magnitude = 0;   ///< sum of their absolute values
};

/// Sums in `Wide`, which must hold products of the operands with far less error than is looked for.
template <typename Wide>
Dot dot(const double* left, const double* right, std::size_t count) {
  Wide values[kLanes] = {};
  double magnitudes[kLanes] = {};
  std::size_t l = 0;
  for (; l + kLanes <= count; l += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      values[lane] += static_cast<Wide>(left[l + lane]) * static_cast<Wide>(right[l + lane]);
      magnitudes[lane] += std::abs(left[l + lane] * right[l + lane]);
    }
  }
  for (; l < count; ++l) {
    values[0] += static_cast<Wide>(left[l]) * static_cast<Wide>(right[l]);
    magnitudes[0] += std::abs(left[l] * right[l]);
  }
  return {static_cast<long double>((values[0] + values[1]) + (values[2] + values[3])),
          (magnitudes[0] + magnitudes[1]) + (magnitudes[2] + magnitudes[3])};
}

/// Distance of packed rows: k and one cache line, so that rows of 2^n values do not share cache sets.
std::size_t packed_stride(std::int64_t k) {
  return index(k) + 8;
}

/// Rows `lines` of op(X) as double, packed_stride() apart.
void pack_rows(const Matrix& matrix, std::span<const std::int64_t> lines, double* packed) {
  const std::int64_t width = matrix.columns();
  const std::size_t stride = packed_stride(width);
  if (matrix.transposed) {  // stored row by stored row
    for (std::int64_t l = 0; l < width; ++l) {
      for (std::size_t line = 0; line < lines.size(); ++line) {
        packed[line * stride + index(l)] = matrix.at(lines[line], l);
      }
    }
    return;
  }
  for (std::size_t line = 0; line < lines.size(); ++line) {
    for (std::int64_t l = 0; l < width; ++l) {
      packed[line * stride + index(l)] = matrix.at(lines[line], l);
    }
  }
}

Element compare_one(
    const Product& product, std::int64_t row, std::int64_t column, const Dot& dot, bool exact) {
  long double reference = static_cast<long double>(product.alpha) * dot.value;
  double magnitude = std::abs(product.alpha) * dot.magnitude;
  if (product.beta != 0) {
    const double before = product.c_before.at(row, column);
    reference += static_cast<long double>(product.beta) * static_cast<long double>(before);
    magnitude += std::abs(product.beta * before);
  }
  Element element;
  element.row = row;
  element.column = column;
  element.found = product.c.at(row, column);
  element.error = static_cast<double>(static_cast<long double>(element.found) - reference);
  element.reference = static_cast<double>(reference);
  element.bound = exact ? 0.0 : element_bound(product, element.reference, magnitude);
  return element;
}

}  // namespace

double rounding_growth(std::int64_t terms) {
  const double count = static_cast<double>(terms);
  return std::min(count, kLambda * std::sqrt(count)) + 2;
}

double element_bound(const Product& product, double reference, double magnitude) {
  const double terms = static_cast<double>(product.k() + 1);  // beta C0 may be where the sum starts
  return rounding_growth(product.k() + 1) * product.unit * magnitude +
         product.output_unit * std::abs(reference) + terms * product.smallest;
}

double Element::in_bounds() const {
  if (!std::isfinite(error) || !std::isfinite(bound)) {
    return std::numeric_limits<double>::infinity();
  }
  if (error == 0) {
    return 0;
  }
  return bound > 0 ? std::abs(error) / bound : std::numeric_limits<double>::infinity();
}

std::vector<Element> compare_elements(const Product& product,
                                      std::span<const std::int64_t> rows,
                                      std::span<const std::int64_t> columns,
                                      Comparison comparison,
                                      int threads) {
  const std::size_t k = index(product.k());
  const std::size_t stride = packed_stride(product.k());
  const bool exact = comparison == Comparison::exact;
  const bool wide = product.wide && !exact;
  std::vector<double> a(rows.size() * stride);
  pack_rows(product.a, rows, a.data());

  const std::int64_t fitting = kPackedValues / std::max<std::int64_t>(product.k(), 1);
  const std::size_t block = index(std::clamp<std::int64_t>(fitting, 1, kBlock));
  std::vector<double> b(block * stride);
  std::vector<Element> elements(rows.size() * columns.size());
  for (std::size_t first = 0; first < columns.size(); first += block) {
    const auto packed = columns.subspan(first, std::min(block, columns.size() - first));
    pack_rows(product.b.transpose(), packed, b.data());
    const std::size_t pairs = rows.size() * packed.size();
    const bool worth_it = pairs * k >= index(kWorthThreads);
    parallel_ranges(static_cast<std::int64_t>(pairs),
                    1,
                    worth_it ? threads : 1,
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::size_t pair = index(begin); pair < index(end); ++pair) {
                        const std::size_t row = pair / packed.size();
                        const std::size_t column = pair % packed.size();
                        const double* left = a.data() + row * stride;
                        const double* right = b.data() + column * stride;
                        const Dot sum = wide ? dot<long double>(left, right, k) : dot<double>(left, right, k);
                        elements[row * columns.size() + first + column] =
                            compare_one(product, rows[row], packed[column], sum, exact);
                      }
                    });
  }
  return elements;
}

std::vector<std::int64_t> sample_lines(std::int64_t count,
                                       std::int64_t k,
                                       std::int64_t most,
                                       std::uint64_t seed) {
  const std::int64_t fitting = kPackedValues / std::max<std::int64_t>(k, 1);
  const std::int64_t wanted = std::min(most, std::max<std::int64_t>(fitting, 2));
  if (count <= wanted) {
    return all_lines(count);
  }
  if (wanted < 2) {
    return {};
  }
  std::vector<std::int64_t> lines = {0, count - 1};
  for (std::int64_t i = 2; i < wanted; ++i) {
    const std::uint64_t bits = random_bits(seed, static_cast<std::uint64_t>(i));
    lines.push_back(static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(count)));
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

std::vector<std::int64_t> all_lines(std::int64_t count) {
  std::vector<std::int64_t> lines(index(count));
  std::iota(lines.begin(), lines.end(), std::int64_t{0});
  return lines;
}

}  // namespace jissoku::numerics::detail
