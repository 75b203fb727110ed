#include "jissoku/backends/opencl/elementwise.hpp"

#include <algorithm>
#include <string_view>

namespace jissoku::embedded {
extern const std::string_view opencl_elementwise_cl;
}

namespace jissoku::backends::opencl {
namespace {

/// Of work-items to a compute unit: enough to hide the latency of memory, or to spread evenly on a CPU.
constexpr int kItemsEach = 2048;
constexpr int kCpuItemsEach = 16;

Range range_of(const Facts& facts, int local) {
  const int units = std::max(facts.compute_units, 1);
  Range range;
  range.global[0] = static_cast<std::size_t>(units) * (facts.is_cpu ? kCpuItemsEach : kItemsEach);
  range.local[0] = static_cast<std::size_t>(local);
  return range;
}

int local_of(const Facts& facts) {
  return !facts.is_cpu && facts.max_work_group >= 64 ? 64 : 1;
}

cl_ulong count(std::int64_t number) {
  return static_cast<cl_ulong>(number);
}

}  // namespace

bool is_elementwise(const device::Operation& operation) {
  return std::holds_alternative<device::BiasActivation>(operation);
}

core::Status launch_elementwise(OpenClStream& stream,
                                const device::Operation& operation,
                                const Operands& memory,
                                Commands& commands) {
  Runtime& runtime = stream.runtime();
  const int local = local_of(runtime.facts());
  const auto kernel = runtime.kernel(
      embedded::opencl_elementwise_cl, "-D LOCAL=" + std::to_string(local), device::to_string(operation));
  if (!kernel) {
    return kernel.error();
  }
  const auto& op = std::get<device::BiasActivation>(operation);
  const core::Status set = set_arguments(runtime,
                                         *kernel,
                                         memory[0],
                                         count(op.in.offset_elements),
                                         count(op.in.leading_dimension),
                                         count(op.in.batch_stride),
                                         memory[1],
                                         count(op.bias.offset_elements),
                                         count(op.bias.leading_dimension),
                                         count(op.bias.batch_stride),
                                         memory[2],
                                         count(op.out.offset_elements),
                                         count(op.out.leading_dimension),
                                         count(op.out.batch_stride),
                                         count(op.out.columns),
                                         count(op.out.rows),
                                         count(op.out.batch),
                                         cl_int{op.activation == device::Activation::relu});
  return set ? stream.run(*kernel, range_of(runtime.facts(), local), commands) : set;
}

}  // namespace jissoku::backends::opencl
