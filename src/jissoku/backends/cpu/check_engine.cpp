#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "jissoku/backends/cpu/trial.hpp"

namespace jissoku::backends::cpu {
namespace {

using numerics::DataType;

struct Case {
  std::int64_t m, n, k;
  bool transpose_a, transpose_b;
  double alpha, beta;
};

// Sides that are no multiple of a vector, some longer than a tile; then the vector shapes.
constexpr std::array<Case, 8> kCases = {{{67, 51, 70, false, false, 1, 0},
                                         {67, 51, 70, true, false, 1, 0},
                                         {35, 130, 33, false, true, 2, 3},
                                         {35, 66, 300, true, true, -1, 1},
                                         {1, 75, 90, false, false, 1, 0},
                                         {1, 75, 90, true, true, 2, 1},
                                         {75, 1, 90, false, false, 1, 0},
                                         {75, 1, 90, true, true, 2, 1}}};

/// Small integers: with a few hundred terms every sum is exact in f32, in any order.
template <typename T>
std::vector<T> integers(std::int64_t count, std::int64_t seed) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    values[static_cast<std::size_t>(i)] = static_cast<T>((i * 37 + seed * 11 + i / 7) % 9 - 4);
  }
  return values;
}

template <typename T>
bool is_right(const Case& c,
              const std::vector<T>& a,
              const std::vector<T>& b,
              const std::vector<T>& before,
              const std::vector<T>& after) {
  const auto at = [](const std::vector<T>& values, std::int64_t index) {
    return values[static_cast<std::size_t>(index)];
  };
  for (std::int64_t i = 0; i < c.m; ++i) {
    for (std::int64_t j = 0; j < c.n; ++j) {
      T sum = 0;
      for (std::int64_t p = 0; p < c.k; ++p) {
        sum += at(a, c.transpose_a ? p * c.m + i : i * c.k + p) *
               at(b, c.transpose_b ? j * c.k + p : p * c.n + j);
      }
      const std::int64_t index = i * c.n + j;
      const T old = c.beta == 0 ? T(0) : static_cast<T>(c.beta) * at(before, index);
      if (!(at(after, index) == static_cast<T>(c.alpha) * sum + old)) {
        return false;
      }
    }
  }
  return true;
}

template <typename T>
core::Status check_case(Engine& engine, DataType type, const Case& c) {
  const std::vector<T> a = integers<T>(c.m * c.k, 1);
  const std::vector<T> b = integers<T>(c.k * c.n, 2);
  std::vector<T> before = integers<T>(c.m * c.n, 3);
  if (c.beta == 0) {
    before.assign(before.size(), std::numeric_limits<T>::quiet_NaN());
  }
  std::vector<T> after = before;
  Product product{type,
                  c.transpose_a,
                  c.transpose_b,
                  c.m,
                  c.n,
                  c.k,
                  c.alpha,
                  c.beta,
                  a.data(),
                  c.transpose_a ? c.m : c.k,
                  b.data(),
                  c.transpose_b ? c.k : c.n,
                  after.data(),
                  c.n};
  product.a_format.type = product.b_format.type = type;
  if (!engine.supports(product).ok) {
    return {};
  }
  if (core::Status done = engine.multiply(product); !done) {
    return done;
  }
  if (is_right(c, a, b, before, after)) {
    return {};
  }
  const std::string shape = std::to_string(c.m) + "x" + std::to_string(c.n) + "x" + std::to_string(c.k);
  return core::make_error(core::ExitCode::check_failed,
                          "cpu.trial_wrong",
                          {{"shape", shape}, {"type", std::string(numerics::display_name(type))}});
}

}  // namespace

core::Status check_engine(Engine& engine) {
  for (const Case& c : kCases) {
    if (core::Status right = check_case<float>(engine, DataType::f32, c); !right) {
      return right;
    }
    if (core::Status right = check_case<double>(engine, DataType::f64, c); !right) {
      return right;
    }
  }
  return {};
}

}  // namespace jissoku::backends::cpu
