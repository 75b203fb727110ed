#include "jissoku/backends/cpu/tensor_operations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "jissoku/backends/cpu/team_parts.hpp"
#include "jissoku/device/views.hpp"

namespace jissoku::backends::cpu {
namespace {

using device::TensorView;

/// What sums of T are held in; rounded once.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;

template <typename T>
Wide<T> widen(T value) {
  return static_cast<Wide<T>>(value);
}

/// part(batch, row, first, last, partial) for pieces of rows, which belong to a fixed number of partial
/// results whatever the threads, each in order of the elements; they are then combined in order.
template <typename W, typename Part, typename Combine>
W reduce(ThreadTeam& team, const TensorView& shape, const Part& part, const Combine& combine) {
  constexpr std::int64_t kPartials = 256;
  constexpr std::int64_t kPiece = 1024;
  const std::int64_t pieces = (shape.columns + kPiece - 1) / kPiece;
  const std::int64_t units = shape.batch * shape.rows * pieces;
  const auto start_of = [&](std::int64_t partial) {
    return units / kPartials * partial + std::min(partial, units % kPartials);
  };
  std::array<W, kPartials> partials{};
  team.run_ranges(kPartials, 1, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; ++at) {
      for (std::int64_t unit = start_of(at); unit < start_of(at + 1); ++unit) {
        const std::int64_t row = unit / pieces;
        const std::int64_t first = unit % pieces * kPiece;
        part(row / shape.rows,
             row % shape.rows,
             first,
             std::min(first + kPiece, shape.columns),
             partials[static_cast<std::size_t>(at)]);
      }
    }
  });
  W result = 0;
  for (const W& partial : partials) {
    result = combine(result, partial);
  }
  return result;
}

template <typename T>
void run(ThreadTeam& team, const device::BiasActivation& op) {
  const T* const bias = row_of<T>(op.bias, 0, 0);
  const bool relu = op.activation == device::Activation::relu;
  for_each_part(team, op.out, [&](auto batch, auto row, auto first, auto last) {
    const T* const in = row_of<T>(op.in, batch, row);
    T* const out = row_of<T>(op.out, batch, row);
    for (std::int64_t i = first; i < last; ++i) {
      const T sum = in[i] + bias[i];
      out[i] = relu && sum < 0 ? T{0} : sum;  // a NaN is not less, and passes
    }
  });
}

/// A column is summed by one thread, row after row.
template <typename T>
void run(ThreadTeam& team, const device::BiasActivationGradient& op) {
  constexpr std::int64_t kBlock = kCacheLineElements;
  const bool all_pass = op.activation == device::Activation::none;
  team.run_ranges(op.out.columns, kBlock, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t first = begin; first < end; first += kBlock) {
      const std::int64_t count = std::min(kBlock, end - first);
      std::array<Wide<T>, kBlock> sums{};
      for (std::int64_t at = 0; at < op.out.batch * op.out.rows; ++at) {
        const std::int64_t batch = at / op.out.rows;
        const std::int64_t row = at % op.out.rows;
        const T* const out = row_of<T>(op.out, batch, row) + first;
        const T* const grad_out = row_of<T>(op.grad_out, batch, row) + first;
        T* const grad_in = row_of<T>(op.grad_in, batch, row) + first;
        for (std::int64_t i = 0; i < count; ++i) {
          const T gradient = all_pass || out[i] > 0 ? grad_out[i] : T{0};
          grad_in[i] = gradient;
          sums[static_cast<std::size_t>(i)] += widen(gradient);
        }
      }
      std::transform(
          sums.begin(), sums.begin() + count, row_of<T>(op.grad_bias, 0, 0) + first, [](Wide<T> sum) {
            return static_cast<T>(sum);
          });
    }
  });
}

/// exp(x - max) / sum, a row by one thread: the shift keeps exp() from overflowing and cancels out.
template <typename T>
void run(ThreadTeam& team, const device::Softmax& op) {
  team.run_ranges(op.in.batch * op.in.rows, 1, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; ++at) {
      const T* const in = row_of<T>(op.in, at / op.in.rows, at % op.in.rows);
      T* const out = row_of<T>(op.out, at / op.in.rows, at % op.in.rows);
      const Wide<T> largest = widen(*std::max_element(in, in + op.in.columns));
      Wide<T> sum = 0;
      for (std::int64_t i = 0; i < op.in.columns; ++i) {
        sum += std::exp(widen(in[i]) - largest);
      }
      for (std::int64_t i = 0; i < op.in.columns; ++i) {
        out[i] = static_cast<T>(std::exp(widen(in[i]) - largest) / sum);
      }
    }
  });
}

/// A NaN makes sum and amax NaN.
template <typename T>
void run(ThreadTeam& team, const device::Reduce& op) {
  using W = Wide<T>;
  const auto larger = [](W a, W b) { return std::isnan(a) || b <= a ? a : b; };
  const auto sum = [](W a, W b) { return a + b; };
  const auto over = [&](const auto& term, const auto& combine) {
    return reduce<W>(
        team,
        op.in,
        [&](auto batch, auto row, auto first, auto last, W& partial) {
          const T* const in = row_of<T>(op.in, batch, row);
          for (std::int64_t i = first; i < last; ++i) {
            partial = combine(partial, term(in[i]));
          }
        },
        combine);
  };
  W result = 0;
  switch (op.reduction) {
    case device::Reduction::sum:
      result = over(widen<T>, sum);
      break;
    case device::Reduction::amax:
      result = over([](T value) { return std::abs(widen(value)); }, larger);
      break;
    case device::Reduction::non_finite_count:
      result = over([](T value) { return std::isfinite(value) ? W{0} : W{1}; }, sum);
      break;
  }
  *row_of<T>(op.out, 0, 0) = static_cast<T>(result);
}

template <typename T>
void run(ThreadTeam& team, const device::MseLoss& op) {
  using W = Wide<T>;
  const TensorView& shape = op.prediction;
  const auto count = static_cast<W>(shape.batch) * static_cast<W>(shape.rows) * static_cast<W>(shape.columns);
  const auto factor = static_cast<W>(op.scale) * 2;
  const W sum = reduce<W>(
      team,
      shape,
      [&](auto batch, auto row, auto first, auto last, W& partial) {
        const T* const prediction = row_of<T>(shape, batch, row);
        const T* const target = row_of<T>(op.target, batch, row);
        T* const gradient = row_of<T>(op.gradient, batch, row);
        for (std::int64_t i = first; i < last; ++i) {
          const W error = widen(prediction[i]) - widen(target[i]);
          partial += error * error;
          gradient[i] = static_cast<T>(factor * error / count);
        }
      },
      [](W a, W b) { return a + b; });
  *row_of<T>(op.value, 0, 0) = static_cast<T>(sum / count);
}

template <typename T>
void run(ThreadTeam& team, const device::SgdStep& op) {
  const auto rate = static_cast<Wide<T>>(op.rate);
  const auto factor = static_cast<Wide<T>>(op.momentum_factor);
  for_each_part(team, op.weights, [&](auto batch, auto row, auto first, auto last) {
    T* const weights = row_of<T>(op.weights, batch, row);
    T* const momentum = row_of<T>(op.momentum, batch, row);
    const T* const gradient = row_of<T>(op.gradient, batch, row);
    for (std::int64_t i = first; i < last; ++i) {
      momentum[i] = static_cast<T>(factor * widen(momentum[i]) + widen(gradient[i]));
      weights[i] = static_cast<T>(widen(weights[i]) - rate * widen(momentum[i]));
    }
  });
}

template <typename Op>
constexpr bool kIsTensorOperation =
    std::is_same_v<Op, device::BiasActivation> || std::is_same_v<Op, device::BiasActivationGradient> ||
    std::is_same_v<Op, device::Softmax> || std::is_same_v<Op, device::Reduce> ||
    std::is_same_v<Op, device::MseLoss> || std::is_same_v<Op, device::SgdStep>;

}  // namespace

bool is_tensor_operation(const device::Operation& operation) {
  return std::visit([](const auto& op) { return kIsTensorOperation<std::decay_t<decltype(op)>>; }, operation);
}

void run_tensor_operation(ThreadTeam& team, const device::Operation& operation) {
  std::visit(
      [&](const auto& op) {
        if constexpr (kIsTensorOperation<std::decay_t<decltype(op)>>) {
          const bool wide = device::views_of(operation).begin()->view->type == numerics::DataType::f64;
          wide ? run<double>(team, op) : run<float>(team, op);
        }
      },
      operation);
}

}  // namespace jissoku::backends::cpu
