// Real operands: element by element against the bound when small, else by checksums.
//
// The checksum of row i is r_i = sum_j (C - R)_ij x_j with random signs x_j, from O(n^2) work. Rounding
// errors of at most E_ij make it at most min(t, sqrt n) sqrt(sum_j E_ij^2), whatever they are, with
// probability 1 - 2 exp(-t^2 / 2) (Hoeffding 1963). That tolerance is wide, since real errors are far
// smaller than their bounds; so a row that merely stands out among the others is suspicious, and
// suspicious rows are recomputed and judged element by element. One element off by e moves r_i by
// exactly |e|, hence the limit: what makes a row suspicious, plus what its checksum already is.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "jissoku/numerics/random.hpp"
#include "jissoku/numerics/verification_checks.hpp"
#include "jissoku/numerics/verification_passes.hpp"

namespace jissoku::numerics::detail {
namespace {

constexpr double kSigns = 6;       // the t above: 3e-8 per row, and E is generous by itself
constexpr double kStandsOut = 9;   // times the median: 6 standard deviations of a normal variable
constexpr double kFp64 = 0x1p-53;  // unit roundoff of the checksums themselves

std::size_t index(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

std::vector<double> random_signs(std::int64_t count, std::uint64_t seed) {
  std::vector<double> signs(index(count));
  for (std::size_t i = 0; i < signs.size(); ++i) {
    signs[i] = (random_bits(seed, i) & 1U) != 0 ? 1.0 : -1.0;
  }
  return signs;
}

/// Checksums of the rows, and what they are judged by.
struct Evidence {
  std::vector<double> residual;   ///< r
  std::vector<double> zeroed;     ///< r of an output of zeros
  std::vector<double> tolerance;  ///< for |r|
  double element_bound = 0;       ///< no element is permitted a larger error
  bool c_is_zero = false;         ///< C is all zeros, as far as rounding lets one tell
};

/// The norms that tolerances are made of, per row where it is a vector.
struct Norms {
  LineSums a, b, b_columns, c, before;
};

/// |r_i| of correct results; `i` is the row. See docs/verification.md, "Tolerance of a checksum".
double checksum_tolerance(const Product& product, const Norms& norms, double bx_norm, std::size_t i) {
  const double alpha = std::abs(product.alpha);
  const double a = std::sqrt(norms.a.squares[i]);
  const double c = std::sqrt(norms.c.squares[i]);
  const double before = product.beta == 0 ? 0.0 : std::abs(product.beta) * std::sqrt(norms.before.squares[i]);
  const double b = norms.b.norm();
  const double width = std::sqrt(static_cast<double>(product.n()));
  const double signs = std::min(kSigns, width);
  const double product_norm = alpha * a * b;  // bounds the 2-norm of the row of |alpha| |A||B|
  const double smallest = static_cast<double>(product.k() + 1) * product.smallest * width;
  const double rounding = rounding_growth(product.k() + 1) * product.unit * (product_norm + before) +
                          product.output_unit * c + smallest;
  const double along_n = rounding_growth(product.n()) * kFp64;
  const double along_k = rounding_growth(product.k()) * kFp64;
  const double checksum = signs * along_n * (product_norm + before + c) + along_k * alpha * a * bx_norm;
  return signs * rounding + checksum;
}

double two_norm(const std::vector<double>& values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

Evidence gather(const Product& product, const std::vector<double>& signs, int threads) {
  Norms norms;
  norms.b = line_sums(product.b, signs, threads);
  norms.a = line_sums(product.a, norms.b.sum, threads);
  norms.c = line_sums(product.c, signs, threads);
  norms.b_columns = line_sums(product.b.transpose(), std::vector<double>(index(product.k()), 0.0), threads);
  if (product.beta != 0) {
    norms.before = line_sums(product.c_before, signs, threads);
  }
  const double bx_norm = two_norm(norms.b.sum);
  const std::size_t lines = index(product.m());
  Evidence out;
  out.residual.resize(lines);
  out.zeroed.resize(lines);
  out.tolerance.resize(lines);
  for (std::size_t i = 0; i < lines; ++i) {
    const double before = product.beta == 0 ? 0.0 : product.beta * norms.before.sum[i];
    out.zeroed[i] = -(product.alpha * norms.a.sum[i] + before);
    out.residual[i] = norms.c.sum[i] + out.zeroed[i];
    out.tolerance[i] = checksum_tolerance(product, norms, bx_norm, i);
  }
  const double before_abs = product.beta == 0 ? 0.0 : std::abs(product.beta) * norms.before.max_abs();
  const double magnitude =
      std::abs(product.alpha) * norms.a.largest_norm() * norms.b_columns.largest_norm() + before_abs;
  out.element_bound = element_bound(product, norms.c.max_abs(), magnitude);
  out.c_is_zero = norms.c.max_abs() <= out.element_bound;
  return out;
}

/// |r_i| over its tolerance; infinite for what is not finite.
double in_tolerance(double residual, double tolerance) {
  if (!std::isfinite(residual) || !std::isfinite(tolerance)) {
    return std::numeric_limits<double>::infinity();
  }
  return residual == 0 ? 0.0 : std::abs(residual) / tolerance;
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

/// Which rows are recomputed, by |r_i| in units of the tolerance.
struct Judgement {
  std::vector<double> ratio;           ///< per row
  double threshold = 1;                ///< rows above it are suspicious
  double certain_threshold = 1;        ///< one wrong element cannot have raised it beyond this
  std::vector<std::int64_t> suspects;  ///< worst first
};

Judgement judge(const std::vector<double>& residual,
                const std::vector<double>& tolerance,
                std::int64_t fewest) {
  Judgement out;
  out.ratio.resize(residual.size());
  std::transform(residual.begin(), residual.end(), tolerance.begin(), out.ratio.begin(), in_tolerance);
  if (std::ssize(out.ratio) >= fewest) {
    std::vector<double> sorted = out.ratio;
    const auto middle = sorted.begin() + std::ssize(sorted) / 2;
    std::nth_element(sorted.begin(), middle, sorted.end());
    out.threshold = std::min(1.0, kStandsOut * *middle);
    out.certain_threshold = std::min(1.0, kStandsOut * *std::min_element(middle + 1, sorted.end()));
  }
  for (std::size_t i = 0; i < out.ratio.size(); ++i) {
    if (out.ratio[i] > out.threshold) {
      out.suspects.push_back(static_cast<std::int64_t>(i));
    }
  }
  const auto worse = [&](std::int64_t left, std::int64_t right) {
    return out.ratio[index(left)] > out.ratio[index(right)];
  };
  std::stable_sort(out.suspects.begin(), out.suspects.end(), worse);
  return out;
}

/// Recomputes the worst suspects; what remains must hold the tolerance.
void recompute_suspects(const Product& product,
                        const Settings& settings,
                        const Judgement& judgement,
                        Verification& out) {
  const std::int64_t suspects = std::ssize(judgement.suspects);
  const std::int64_t affordable = std::min(suspects, settings.sizes.recomputed_lines);
  for (std::int64_t s = 0; s < affordable && out.finding.empty(); ++s) {
    const std::int64_t line = judgement.suspects[index(s)];
    record_elements(
        product,
        compare_elements(product, {{line}}, all_lines(product.n()), Comparison::bounded, settings.threads),
        out);
  }
  if (affordable < suspects && out.finding.empty()) {
    const std::int64_t next = judgement.suspects[index(affordable)];
    if (judgement.ratio[index(next)] > 1) {
      out.finding = wrong_line(next, product.c.transposed);
    }
  }
}

/// The smallest error of one element that is seen for certain: it makes its row suspicious, and one
/// row more can be recomputed; else it breaks the tolerance of its row.
double certain_limit(const Evidence& evidence, const Judgement& judgement, const Sizes& sizes) {
  const bool one_more = std::ssize(judgement.suspects) < sizes.recomputed_lines;
  const double threshold = one_more ? judgement.certain_threshold : 1.0;
  double limit = evidence.element_bound;
  for (std::size_t i = 0; i < evidence.residual.size(); ++i) {
    const double own = std::min(judgement.ratio[i], threshold);  // more: recomputed, or a failure anyway
    if (std::isfinite(evidence.tolerance[i])) {
      limit = std::max(limit, (threshold + own) * evidence.tolerance[i]);
    }
  }
  return limit;
}

bool catches_planted(const Product& product,
                     const Settings& settings,
                     const Evidence& evidence,
                     const std::vector<double>& signs,
                     double planted) {
  const auto pick = [&](std::uint64_t draw, std::int64_t count) {
    return static_cast<std::int64_t>(random_bits(settings.seed + 4, draw) %
                                     static_cast<std::uint64_t>(count));
  };
  const std::int64_t row = pick(0, product.m());
  const std::int64_t column = pick(1, product.n());
  std::vector<double> residual = evidence.residual;
  residual[index(row)] += planted * signs[index(column)];
  const Judgement judgement = judge(residual, evidence.tolerance, settings.sizes.fewest_lines);
  const auto at = std::find(judgement.suspects.begin(), judgement.suspects.end(), row);
  if (at == judgement.suspects.end()) {
    return false;
  }
  if (at - judgement.suspects.begin() >= settings.sizes.recomputed_lines) {
    return judgement.ratio[index(row)] > 1;
  }
  Element element = compare_elements(product, {{row}}, {{column}}, Comparison::bounded, 1).front();
  element.error += planted;
  return !element.right();
}

void check_by_sums(const Product& product, const Settings& settings, Verification& out) {
  const std::vector<double> signs = random_signs(product.n(), settings.seed);
  const Evidence evidence = gather(product, signs, settings.threads);
  if (!all_finite(evidence.residual)) {
    out.finding = find_unusable(product);
  }
  if (out.finding.empty() && !all_finite(evidence.tolerance)) {
    out.finding = unproven();  // squares of the operands overflow
  }
  const auto sample = compare_sample(product, settings, Comparison::bounded);
  record_elements(product, sample, out);
  const Judgement judgement = judge(evidence.residual, evidence.tolerance, settings.sizes.fewest_lines);
  if (out.finding.empty()) {
    recompute_suspects(product, settings, judgement, out);
  }
  for (std::size_t i = 0; i < judgement.ratio.size(); ++i) {
    if (judgement.ratio[i] <= 1) {  // a recomputed row is judged by its elements
      out.largest_error_in_bounds = std::max(out.largest_error_in_bounds, judgement.ratio[i]);
    }
  }
  out.detection_limit = certain_limit(evidence, judgement, settings.sizes);
  const Judgement zeroed = judge(evidence.zeroed, evidence.tolerance, settings.sizes.fewest_lines);
  const bool breaks_tolerance =
      std::any_of(zeroed.ratio.begin(), zeroed.ratio.end(), [](double ratio) { return ratio > 1; });
  const bool zero_seen = evidence.c_is_zero || breaks_tolerance || sees_zeroed(sample);
  out.self_test = zero_seen && catches_planted(product, settings, evidence, signs, 2 * out.detection_limit);
}

void check_in_full(const Product& product, const Settings& settings, Verification& out) {
  const auto elements = compare_elements(
      product, all_lines(product.m()), all_lines(product.n()), Comparison::bounded, settings.threads);
  record_elements(product, elements, out);
  for (const Element& element : elements) {
    out.detection_limit = std::max(out.detection_limit, element.bound);
  }
  out.self_test = elements_catch_errors(elements, 2 * out.detection_limit, settings.seed);
}

}  // namespace

Verification verify_bounded(const Product& product, const Settings& settings) {
  Verification out;
  if (compared_in_full(product, settings.sizes)) {
    out.method = "bounded";
    check_in_full(product, settings, out);
  } else {
    out.method = "bounded_freivalds";
    // Checksums over the shorter side of C: less rounding error to hide in.
    check_by_sums(product.n() <= product.m() ? product : product.transpose(), settings, out);
  }
  return out;
}

}  // namespace jissoku::numerics::detail
