#include "jissoku/numerics/verification.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>

#include "jissoku/numerics/random.hpp"
#include "jissoku/numerics/verification_checks.hpp"
#include "jissoku/numerics/verification_widened.hpp"

namespace jissoku::numerics {
namespace detail {
namespace {

bool readable(const Matrix& matrix) {
  const MatrixView& view = matrix.stored;
  const bool known = can_widen(view);
  const bool shaped = view.rows >= 0 && view.columns >= 0 && view.leading_dimension >= view.columns;
  const bool empty = view.rows == 0 || view.columns == 0;
  return known && shaped && (empty || view.data != nullptr);
}

bool well_formed(const Product& product) {
  const bool fits = product.a.rows() == product.c.rows() && product.b.columns() == product.c.columns() &&
                    product.a.columns() == product.b.rows();
  const bool elements = product.m() > 0 && product.n() > 0;
  return fits && elements && readable(product.a) && readable(product.b) && readable(product.c) &&
         (product.beta == 0 || product.c_before.stored.data != nullptr);
}

Product product_of(const GemmCheck& check) {
  Product product;
  product.a = {check.a, check.transpose_a};
  product.b = {check.b, check.transpose_b};
  product.c = {check.c, false};
  product.c_before = product.c;
  product.c_before.stored.data = check.c_before;
  if (check.accumulator != DataType::f64) {  // kernels of less than FP64 take their scalars in FP32
    product.alpha = static_cast<double>(static_cast<float>(check.alpha));
    product.beta = static_cast<double>(static_cast<float>(check.beta));
  } else {
    product.alpha = check.alpha;
    product.beta = check.beta;
  }
  product.unit = unit_roundoff(check.accumulator);
  product.output_unit = unit_roundoff(check.c.type);
  product.smallest = std::max(smallest_step(check.accumulator), smallest_step(check.c.type));
  product.wide = check.accumulator == DataType::f64;
  return product;
}

/// The same product with a unit for which the bound grows as that of sums that are cut off: 2 u per term.
/// Sums that are exact are so either way.
Product allow_truncation(Product product) {
  const std::int64_t terms = product.k() + 1;
  product.unit *= 2 * static_cast<double>(terms) / rounding_growth(terms);
  return product;
}

/// A kernel may round where it scales a code in FP32: one u more for each operand.
Product allow_scaling(Product product, const GemmCheck& check) {
  const double growth = rounding_growth(product.k() + 1);
  const double more = (scales_round(check.a) ? 1 : 0) + (scales_round(check.b) ? 1 : 0);
  product.unit *= (growth + more) / growth;
  return product;
}

Verification run_checks(const GemmCheck& check, const Sizes& sizes) {
  Product product = product_of(check);
  Verification out;
  if (!well_formed(product)) {
    out.finding = core::message("verify.malformed", {{"rows", check.c.rows}, {"columns", check.c.columns}});
    return out;
  }
  const Widened a(product.a.stored), b(product.b.stored), c(product.c.stored);
  const Widened c_before(product.c_before.stored);
  product = allow_scaling(product, check);
  product.a.stored = a.view();
  product.b.stored = b.view();
  product.c.stored = c.view();
  product.c_before.stored = c_before.view();
  const Settings settings{sizes, check.seed, check.threads};
  std::optional<Verification> exact;
  if (check.integer_operands) {
    exact = verify_exact(product, settings);
  }
  out = exact ? *std::move(exact)
              : verify_bounded(check.truncating ? allow_truncation(product) : product, settings);
  out.done = true;
  out.elements = product.m() * product.n();
  if (out.finding.empty() && !out.self_test) {
    out.finding = unproven();
  }
  out.passed = out.finding.empty();
  return out;
}

}  // namespace

Verification verify_gemm(const GemmCheck& check, const Sizes& sizes) {
  const auto start = std::chrono::steady_clock::now();
  Verification out;
  try {
    out = run_checks(check, sizes);
  } catch (const std::bad_alloc&) {
    out = {};
    out.finding = core::message("verify.no_memory");
  }
  out.cost_ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  return out;
}

bool compared_in_full(const Product& product, const Sizes& sizes) {
  const std::int64_t elements = product.m() * product.n();
  return elements <= sizes.full_elements &&
         product.k() <= sizes.full_products / std::max<std::int64_t>(elements, 1);
}

void record_elements(const Product& product, const std::vector<Element>& elements, Verification& out) {
  const Element* worst = nullptr;
  double squares = 0;
  for (const Element& element : elements) {
    squares += element.reference * element.reference;
    out.largest_error = std::max(out.largest_error, std::abs(element.error));
    if (!element.right() && (worst == nullptr || element.in_bounds() > worst->in_bounds())) {
      worst = &element;
    }
    if (element.bound > 0 && std::isfinite(element.in_bounds())) {
      out.largest_error_in_bounds = std::max(out.largest_error_in_bounds, element.in_bounds());
    }
  }
  if (out.elements_compared == 0 && !elements.empty()) {  // recomputed suspects are no random sample
    out.typical_value = std::sqrt(squares / static_cast<double>(elements.size()));
  }
  out.elements_compared += std::ssize(elements);
  if (worst != nullptr && out.finding.empty()) {
    out.finding = find_unusable(product);
    if (out.finding.empty()) {
      out.finding = wrong_element(product, *worst);
    }
  }
}

std::vector<Element> compare_sample(const Product& product, const Settings& settings, Comparison comparison) {
  const std::int64_t most = settings.sizes.sampled_lines;
  const auto rows = sample_lines(product.m(), product.k(), most, settings.seed + 2);
  const auto columns = sample_lines(product.n(), product.k(), most, settings.seed + 3);
  return compare_elements(product, rows, columns, comparison, settings.threads);
}

bool sees_zeroed(const std::vector<Element>& elements) {
  return std::any_of(elements.begin(), elements.end(), [](Element element) {
    element.error = -element.reference;
    return !element.right();
  });
}

bool elements_catch_errors(const std::vector<Element>& elements, double planted, std::uint64_t seed) {
  Element element = elements[random_bits(seed, 0) % elements.size()];
  element.error += planted;
  const bool is_zero = std::all_of(elements.begin(), elements.end(), [](const Element& original) {
    return std::abs(original.found) <= original.bound;
  });
  return !element.right() && (is_zero || sees_zeroed(elements));
}

std::int64_t largest_exact_integer(DataType type) {
  switch (type) {
    case DataType::i8:
      return std::numeric_limits<std::int8_t>::max();
    case DataType::i32:
      return std::numeric_limits<std::int32_t>::max();
    case DataType::e2m3:
      return 7;  // 7.5 is its largest value
    case DataType::e8m0:
      return 0;  // a scale: powers of two without sign and zero
    default:
      return static_cast<std::int64_t>(1 / unit_roundoff(type));
  }
}

}  // namespace detail

Verification verify_gemm(const GemmCheck& check) {
  return detail::verify_gemm(check, detail::Sizes{});
}

int exact_integer_magnitude(DataType accumulator, std::int64_t k) {
  const std::int64_t limit = detail::largest_exact_integer(accumulator) / std::max<std::int64_t>(k, 1);
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(limit)));
  while (root * root > limit) {
    --root;
  }
  while ((root + 1) * (root + 1) <= limit) {
    ++root;
  }
  return static_cast<int>(root);
}

float poison_f32() {
  return std::bit_cast<float>(std::uint32_t{0x7FDEAD01});
}

double poison_f64() {
  return std::bit_cast<double>(std::uint64_t{0x7FFDEAD0DEADBEEF});
}

}  // namespace jissoku::numerics
