#include "jissoku/experiments/profile/network.hpp"

#include <cmath>
#include <cstring>
#include <utility>

#include "jissoku/device/views.hpp"
#include "jissoku/numerics/random.hpp"

namespace jissoku::experiments::profile {
namespace {

using device::MemoryKind;
using device::TensorView;

constexpr std::size_t kElementBytes = sizeof(float);

TensorView matrix(std::int64_t rows, std::int64_t columns) {
  TensorView view;
  view.rows = rows;
  view.columns = columns;
  view.leading_dimension = columns;
  return view;
}

std::size_t bytes_of(const TensorView& view) {
  return static_cast<std::size_t>(view.rows * view.columns) * kElementBytes;
}

std::string dimensions(const TensorView& view) {
  return "[" + std::to_string(view.rows) + ", " + std::to_string(view.columns) + "]";
}

std::string vector_dimensions(const TensorView& view) {
  return "[" + std::to_string(view.columns) + "]";
}

Enter annotation(std::string name) {
  return {{std::move(name), true, "", ""}};
}

/// Of an operator on FP32 tensors.
Enter operation(std::string name, const std::vector<std::string>& shapes) {
  Range range{std::move(name), false, "", ""};
  for (const std::string& shape : shapes) {
    range.shapes += (range.shapes.empty() ? "[" : ", ") + shape;
    range.types += (range.types.empty() ? "[" : ", ") + std::string("\"float\"");
  }
  range.shapes += "]";
  range.types += "]";
  return {std::move(range)};
}

Copy copy_of(device::Buffer& to, device::Buffer& from, std::size_t bytes, std::string way) {
  Copy copy;
  copy.range.dst = &to;
  copy.range.src = &from;
  copy.range.size_bytes = bytes;
  copy.facts = {std::move(way), static_cast<std::int64_t>(bytes)};
  return copy;
}

core::Result<std::vector<float>> read_back(Session& session, const TensorView& view) {
  std::vector<float> out(static_cast<std::size_t>(view.rows * view.columns));
  auto host = session.device->allocate(bytes_of(view), MemoryKind::pageable);
  if (!host) {
    return host.error();
  }
  if (auto copied = copy_and_wait(session, **host, *view.buffer, bytes_of(view)); !copied) {
    return copied.error();
  }
  std::memcpy(out.data(), (*host)->host_data(), bytes_of(view));
  return out;
}

/// Equality of bits, so that a NaN that was computed is one that was expected.
bool same(float left, float right) {
  return std::memcmp(&left, &right, sizeof left) == 0;
}

/// The first element that is not activation(product + bias), as a finding; empty if there is none.
core::Message check_activation(const std::vector<float>& product,
                               const std::vector<float>& bias,
                               const std::vector<float>& output,
                               device::Activation activation) {
  for (std::size_t i = 0; i < output.size(); ++i) {
    const float sum = product[i] + bias[i % bias.size()];
    const float expected = activation == device::Activation::relu && sum <= 0 ? 0.0F : sum;
    if (!same(output[i], expected) && !(output[i] == 0 && expected == 0)) {
      return core::message("profile.wrong_activation",
                           {{"row", static_cast<std::int64_t>(i / bias.size())},
                            {"column", static_cast<std::int64_t>(i % bias.size())},
                            {"found", static_cast<double>(output[i])},
                            {"expected", static_cast<double>(expected)}});
    }
  }
  return {};
}

}  // namespace

std::string_view to_string(Network network) {
  return network == Network::linear ? "linear" : "mlp";
}

core::Status run_step(Session& session, const std::vector<Action>& actions, Recording* recording) {
  struct Run {
    Session& session;
    Recording* recording;

    core::Status operator()(const Enter& enter) const {
      if (recording != nullptr) {
        recording->enter(enter.range);
      }
      return {};
    }
    core::Status operator()(const Leave&) const {
      if (recording != nullptr) {
        recording->leave();
      }
      return {};
    }
    core::Status operator()(const device::Operation& operation) const {
      return session.device->launch(*session.stream, operation);
    }
    core::Status operator()(const Copy& copy) const {
      if (recording != nullptr) {
        recording->expect(copy.facts);
      }
      return session.device->copy(*session.stream, copy.range);
    }
    core::Status operator()(const Wait&) const { return session.device->synchronise(*session.stream); }
  };
  for (const Action& action : actions) {
    if (auto done = std::visit(Run{session, recording}, action); !done) {
      return done;
    }
  }
  return {};
}

std::vector<device::Gemm> describe_layers(const Workload& workload) {
  std::vector<std::int64_t> widths = {workload.in};
  if (workload.network == Network::mlp) {
    widths.insert(widths.end(), {workload.hidden, workload.hidden});
  }
  widths.push_back(workload.out);
  std::vector<device::Gemm> layers;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    device::Gemm gemm;
    gemm.a = matrix(workload.batch, widths[i]);
    gemm.b = matrix(widths[i + 1], widths[i]);
    gemm.c = matrix(workload.batch, widths[i + 1]);
    gemm.transpose_b = true;
    layers.push_back(gemm);
  }
  return layers;
}

double step_flops(const Workload& workload) {
  double flops = 0;
  for (const device::Gemm& gemm : describe_layers(workload)) {
    flops += device::gemm_flops(gemm);
  }
  return flops;
}

std::int64_t tensor_bytes(const Workload& workload) {
  double bytes = 2 * static_cast<double>(kElementBytes) * static_cast<double>(workload.batch) *
                 static_cast<double>(workload.in + workload.out);
  for (const device::Gemm& gemm : describe_layers(workload)) {
    bytes += device::logical_bytes(gemm.b) + 2 * device::logical_bytes(gemm.c);
  }
  return static_cast<std::int64_t>(bytes);
}

core::Result<Built> Built::make(Session& session,
                                const Workload& workload,
                                const std::string& variant,
                                std::uint64_t seed) {
  Built built(session, workload);
  const std::vector<device::Gemm> layers = describe_layers(workload);
  built.input_view_ = layers.front().a;
  struct Slot {
    std::unique_ptr<device::Buffer>* buffer;
    std::size_t bytes;
    MemoryKind kind;
  };
  for (const Slot& slot : {Slot{&built.input_, bytes_of(layers.front().a), MemoryKind::device},
                           Slot{&built.host_input_, bytes_of(layers.front().a), MemoryKind::pinned},
                           Slot{&built.host_output_, bytes_of(layers.back().c), MemoryKind::pinned}}) {
    auto buffer = session.device->allocate(slot.bytes, slot.kind);
    if (!buffer && slot.kind == MemoryKind::pinned) {  // not every device has it; the trace says which it was
      buffer = session.device->allocate(slot.bytes, MemoryKind::pageable);
    }
    if (!buffer) {
      return buffer.error();
    }
    *slot.buffer = std::move(*buffer);
  }
  built.input_view_.buffer = built.input_.get();
  for (device::Gemm gemm : layers) {
    gemm.variant = variant;
    const TensorView input = built.layers_.empty() ? built.input_view_ : built.layers_.back().activation.out;
    if (auto added = built.add_layer(gemm, input, built.layers_.size() + 1 == layers.size()); !added) {
      return added.error();
    }
  }
  if (auto filled = built.fill(seed); !filled) {
    return filled.error();
  }
  built.describe_step();
  return built;
}

core::Status Built::add_layer(const device::Gemm& shape, TensorView input, bool last) {
  Layer layer;
  layer.gemm = shape;
  layer.gemm.a = input;
  layer.activation.in = shape.c;
  layer.activation.bias = matrix(1, shape.c.columns);
  layer.activation.out = shape.c;
  layer.activation.activation = last ? device::Activation::none : device::Activation::relu;
  struct Slot {
    std::unique_ptr<device::Buffer>* buffer;
    TensorView* view;
  };
  for (const Slot& slot : {Slot{&layer.weights, &layer.gemm.b},
                           Slot{&layer.bias, &layer.activation.bias},
                           Slot{&layer.product, &layer.gemm.c},
                           Slot{&layer.output, &layer.activation.out}}) {
    auto buffer = session_->device->allocate(bytes_of(*slot.view), MemoryKind::device);
    if (!buffer) {
      return buffer.error();
    }
    *slot.buffer = std::move(*buffer);
    slot.view->buffer = slot.buffer->get();
  }
  layer.activation.in.buffer = layer.product.get();
  layers_.push_back(std::move(layer));
  return {};
}

core::Status Built::fill(std::uint64_t seed) {
  std::vector<TensorView> tensors = {input_view_};
  for (const Layer& layer : layers_) {
    tensors.push_back(layer.gemm.b);
    tensors.push_back(layer.activation.bias);
  }
  std::uint64_t operand = 0;
  for (const TensorView& tensor : tensors) {
    const device::Fill fill{tensor, numerics::Data::normal, numerics::random_bits(seed, operand++)};
    if (auto filled = launch_and_wait(*session_, fill); !filled) {
      return filled;
    }
  }
  return copy_and_wait(*session_, *host_input_, *input_, bytes_of(input_view_));
}

void Built::describe_layer(const Layer& layer) {
  const std::string input = dimensions(layer.gemm.a);
  const std::string weights = dimensions(layer.gemm.b);
  const std::string bias = vector_dimensions(layer.activation.bias);
  actions_.emplace_back(operation("jissoku::linear", {input, weights, bias}));
  actions_.emplace_back(operation("jissoku::gemm", {input, weights}));
  actions_.emplace_back(device::Operation(layer.gemm));
  actions_.emplace_back(Leave{});
  const bool relu = layer.activation.activation == device::Activation::relu;
  actions_.emplace_back(
      operation(relu ? "jissoku::bias_relu" : "jissoku::bias", {dimensions(layer.activation.in), bias}));
  actions_.emplace_back(device::Operation(layer.activation));
  actions_.emplace_back(Leave{});
  actions_.emplace_back(Leave{});
}

void Built::describe_step() {
  const TensorView& output = layers_.back().activation.out;
  const std::string from = host_input_->kind() == MemoryKind::pinned ? "Pinned" : "Pageable";
  const std::string to = host_output_->kind() == MemoryKind::pinned ? "Pinned" : "Pageable";
  actions_.emplace_back(operation("jissoku::copy_input", {dimensions(input_view_)}));
  actions_.emplace_back(
      copy_of(*input_, *host_input_, bytes_of(input_view_), "HtoD (" + from + " -> Device)"));
  actions_.emplace_back(Leave{});
  actions_.emplace_back(annotation("model_inference"));
  for (const Layer& layer : layers_) {
    describe_layer(layer);
  }
  actions_.emplace_back(Leave{});
  actions_.emplace_back(operation("jissoku::read_output", {dimensions(output)}));
  actions_.emplace_back(
      copy_of(*host_output_, *output.buffer, bytes_of(output), "DtoH (Device -> " + to + ")"));
  actions_.emplace_back(Wait{});
  actions_.emplace_back(Leave{});
}

core::Result<numerics::Verification> Built::verify(int threads) const {
  for (const Layer& layer : layers_) {
    for (const TensorView& written : {layer.gemm.c, layer.activation.out}) {
      device::Fill poison{written};
      poison.poison = true;
      if (auto filled = launch_and_wait(*session_, poison); !filled) {
        return filled.error();
      }
    }
  }
  std::memset(host_output_->host_data(), 0xFF, host_output_->size_bytes());
  if (auto done = run_step(*session_, actions_, nullptr); !done) {
    return done.error();
  }
  numerics::Verification all;
  std::vector<float> output;
  for (const Layer& layer : layers_) {
    auto x = read_back(*session_, layer.gemm.a);
    auto w = read_back(*session_, layer.gemm.b);
    auto z = read_back(*session_, layer.gemm.c);
    auto b = read_back(*session_, layer.activation.bias);
    auto y = read_back(*session_, layer.activation.out);
    for (const auto* tensor : {&x, &w, &z, &b, &y}) {
      if (!*tensor) {
        return tensor->error();
      }
    }
    const auto view = [](const std::vector<float>& data, const TensorView& shape) {
      return numerics::MatrixView{
          data.data(), numerics::DataType::f32, shape.rows, shape.columns, shape.columns};
    };
    numerics::GemmCheck check;
    check.a = view(*x, layer.gemm.a);
    check.b = view(*w, layer.gemm.b);
    check.c = view(*z, layer.gemm.c);
    check.transpose_b = true;
    check.threads = threads;
    numerics::Verification one = numerics::verify_gemm(check);
    if (core::Message wrong = check_activation(*z, *b, *y, layer.activation.activation);
        one.passed && !wrong.empty()) {
      one.passed = false;
      one.finding = std::move(wrong);
    }
    one.elements += all.elements;
    one.elements_compared += all.elements_compared;
    one.cost_ns += all.cost_ns;
    all = std::move(one);
    if (!all.passed) {
      return all;
    }
    output = std::move(*y);
  }
  if (std::memcmp(output.data(), host_output_->host_data(), output.size() * kElementBytes) != 0) {
    all.passed = false;
    all.finding = core::message("profile.wrong_copy");
  }
  return all;
}

}  // namespace jissoku::experiments::profile
