#include "jissoku/backends/cpu/tensor_operations.hpp"

#include <type_traits>

#include "jissoku/backends/cpu/team_parts.hpp"
#include "jissoku/device/views.hpp"

namespace jissoku::backends::cpu {
namespace {

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

template <typename Op>
constexpr bool kIsTensorOperation = std::is_same_v<Op, device::BiasActivation>;

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
