#include "jissoku/backends/reference/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "jissoku/device/device.hpp"
#include "jissoku/device/host_fill.hpp"
#include "jissoku/device/views.hpp"

namespace jissoku::backends::reference {
namespace {

using device::TensorView;
using numerics::DataType;

template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;

template <typename T>
Wide<T> widen(T value) {
  return static_cast<Wide<T>>(value);
}

/// First element of a row.
template <typename T>
T* row_of(const TensorView& view, std::int64_t batch, std::int64_t row) {
  return reinterpret_cast<T*>(view.buffer->host_data()) + view.offset_elements + batch * view.batch_stride +
         row * view.leading_dimension;
}

/// visit(batch, row) for every row of every matrix.
template <typename Visit>
void for_each_row(const TensorView& view, Visit visit) {
  for (std::int64_t batch = 0; batch < view.batch; ++batch) {
    for (std::int64_t row = 0; row < view.rows; ++row) {
      visit(batch, row);
    }
  }
}

/// visit(batch, row, column) for every element.
template <typename Visit>
void for_each_element(const TensorView& view, Visit visit) {
  for_each_row(view, [&](std::int64_t batch, std::int64_t row) {
    for (std::int64_t column = 0; column < view.columns; ++column) {
      visit(batch, row, column);
    }
  });
}

template <typename In, typename Out>
void cast(const device::Cast& op) {
  for_each_element(op.out, [&](std::int64_t batch, std::int64_t row, std::int64_t column) {
    row_of<Out>(op.out, batch, row)[column] = static_cast<Out>(row_of<In>(op.in, batch, row)[column]);
  });
}

template <typename T>
void run(const device::Cast& op) {
  if (op.out.type == DataType::f64) {
    cast<T, double>(op);
  } else {
    cast<T, float>(op);
  }
}

template <typename T>
void run(const device::Fill& op) {
  device::fill_host(op, 1);
}

/// op(M) of one matrix of a batch: element (i, j) is at i * row_step + j * column_step.
template <typename T>
struct Operand {
  Operand(const TensorView& view, bool transposed, std::int64_t batch)
      : first(row_of<T>(view, batch, 0)),
        row_step(transposed ? 1 : view.leading_dimension),
        column_step(transposed ? view.leading_dimension : 1) {}
  T operator()(std::int64_t row, std::int64_t column) const {
    return first[row * row_step + column * column_step];
  }

  const T* first;
  std::int64_t row_step, column_step;
};

/// As in BLAS, A and B are not read when alpha is 0, and C is not when beta is 0.
template <typename T>
void run(const device::Gemm& op) {
  const std::int64_t k = op.alpha == 0 ? 0 : (op.transpose_a ? op.a.rows : op.a.columns);
  const auto alpha = static_cast<Wide<T>>(op.alpha);
  const auto beta = static_cast<Wide<T>>(op.beta);
  for_each_row(op.c, [&](std::int64_t batch, std::int64_t i) {
    const Operand<T> a(op.a, op.transpose_a, batch);
    const Operand<T> b(op.b, op.transpose_b, batch);
    T* const c = row_of<T>(op.c, batch, i);
    for (std::int64_t j = 0; j < op.c.columns; ++j) {
      Wide<T> sum = 0;
      for (std::int64_t p = 0; p < k; ++p) {
        sum += widen(a(i, p)) * widen(b(p, j));
      }
      c[j] = static_cast<T>(op.beta == 0 ? alpha * sum : alpha * sum + beta * widen(c[j]));
    }
  });
}

template <typename T>
void run(const device::BiasActivation& op) {
  const T* const bias = row_of<T>(op.bias, 0, 0);
  for_each_element(op.out, [&](std::int64_t batch, std::int64_t row, std::int64_t column) {
    const T sum = row_of<T>(op.in, batch, row)[column] + bias[column];
    const bool blocked = op.activation == device::Activation::relu && sum < 0;  // a NaN passes
    row_of<T>(op.out, batch, row)[column] = blocked ? T{0} : sum;
  });
}

template <typename T>
void run(const device::BiasActivationGradient& op) {
  std::vector<Wide<T>> sums(static_cast<std::size_t>(op.out.columns));
  for_each_element(op.out, [&](std::int64_t batch, std::int64_t row, std::int64_t column) {
    const bool passed =
        op.activation == device::Activation::none || row_of<T>(op.out, batch, row)[column] > 0;
    const T gradient = passed ? row_of<T>(op.grad_out, batch, row)[column] : T{0};
    row_of<T>(op.grad_in, batch, row)[column] = gradient;
    sums[static_cast<std::size_t>(column)] += widen(gradient);
  });
  std::transform(sums.begin(), sums.end(), row_of<T>(op.grad_bias, 0, 0), [](Wide<T> sum) {
    return static_cast<T>(sum);
  });
}

template <typename T>
void run(const device::Scale& op) {
  for_each_element(op.tensor, [&](std::int64_t batch, std::int64_t row, std::int64_t column) {
    T& value = row_of<T>(op.tensor, batch, row)[column];
    value = static_cast<T>(widen(value) * static_cast<Wide<T>>(op.factor));
  });
}

/// exp(x - max) / sum: the shift keeps exp() from overflowing and cancels out.
template <typename T>
void run(const device::Softmax& op) {
  for_each_row(op.out, [&](std::int64_t batch, std::int64_t row) {
    const T* const in = row_of<T>(op.in, batch, row);
    T* const out = row_of<T>(op.out, batch, row);
    const Wide<T> largest = widen(*std::max_element(in, in + op.in.columns));
    std::vector<Wide<T>> powers;
    Wide<T> sum = 0;
    for (std::int64_t column = 0; column < op.in.columns; ++column) {
      powers.push_back(std::exp(widen(in[column]) - largest));
      sum += powers.back();
    }
    std::transform(
        powers.begin(), powers.end(), out, [sum](Wide<T> power) { return static_cast<T>(power / sum); });
  });
}

/// A NaN makes sum and amax NaN.
template <typename T>
void run(const device::Reduce& op) {
  Wide<T> result = 0;
  for_each_element(op.in, [&](std::int64_t batch, std::int64_t row, std::int64_t column) {
    const Wide<T> value = widen(row_of<T>(op.in, batch, row)[column]);
    switch (op.reduction) {
      case device::Reduction::sum:
        result += value;
        break;
      case device::Reduction::amax:
        result = std::isnan(result) || std::abs(value) <= result ? result : std::abs(value);
        break;
      case device::Reduction::non_finite_count:
        result += std::isfinite(value) ? 0 : 1;
        break;
    }
  });
  *row_of<T>(op.out, 0, 0) = static_cast<T>(result);
}

template <typename T>
void run(const device::MseLoss& op) {
  const TensorView& shape = op.prediction;
  const auto count = static_cast<Wide<T>>(shape.batch) * static_cast<Wide<T>>(shape.rows) *
                     static_cast<Wide<T>>(shape.columns);
  Wide<T> sum = 0;
  for_each_element(shape, [&](std::int64_t batch, std::int64_t row, std::int64_t column) {
    const Wide<T> error =
        widen(row_of<T>(shape, batch, row)[column]) - widen(row_of<T>(op.target, batch, row)[column]);
    sum += error * error;
    row_of<T>(op.gradient, batch, row)[column] =
        static_cast<T>(static_cast<Wide<T>>(op.scale) * 2 * error / count);
  });
  *row_of<T>(op.value, 0, 0) = static_cast<T>(sum / count);
}

template <typename T>
void run(const device::SgdStep& op) {
  const auto rate = static_cast<Wide<T>>(op.rate);
  const auto factor = static_cast<Wide<T>>(op.momentum_factor);
  for_each_element(op.weights, [&](std::int64_t batch, std::int64_t row, std::int64_t column) {
    T& momentum = row_of<T>(op.momentum, batch, row)[column];
    T& weight = row_of<T>(op.weights, batch, row)[column];
    momentum = static_cast<T>(factor * widen(momentum) + widen(row_of<T>(op.gradient, batch, row)[column]));
    weight = static_cast<T>(widen(weight) - rate * widen(momentum));
  });
}

template <typename Op>
constexpr bool kHasKernel = !std::is_same_v<Op, device::Quantise> && !std::is_same_v<Op, device::FmaPeak> &&
                            !std::is_same_v<Op, device::MemoryTriad>;

}  // namespace

bool has_kernel(const device::Operation& operation) {
  return std::visit([](const auto& op) { return kHasKernel<std::decay_t<decltype(op)>>; }, operation);
}

void compute(const device::Operation& operation) {
  std::visit(
      [&](const auto& op) {
        if constexpr (kHasKernel<std::decay_t<decltype(op)>>) {
          if (device::views_of(operation).begin()->view->type == DataType::f64) {
            run<double>(op);
          } else {
            run<float>(op);
          }
        }
      },
      operation);
}

}  // namespace jissoku::backends::reference
