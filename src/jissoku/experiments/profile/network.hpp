// A network on a device: its tensors, the step as a list of actions, and the proof of what it computes.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "jissoku/experiments/profile/profile.hpp"
#include "jissoku/experiments/profile/recording.hpp"
#include "jissoku/experiments/session.hpp"
#include "jissoku/numerics/verification.hpp"

namespace jissoku::experiments::profile {

struct Enter {
  Range range;
};
struct Leave {};
struct Copy {
  device::CopyRange range;
  CopyFacts facts;
};
struct Wait {};
using Action = std::variant<Enter, Leave, device::Operation, Copy, Wait>;

/// Runs a step; with a recording, its ranges go there (the device's calls by its own hook).
core::Status run_step(Session& session, const std::vector<Action>& actions, Recording* recording);

/// One product per layer, as Device::supports and Device::variants want it.
std::vector<device::Gemm> describe_layers(const Workload& workload);
double step_flops(const Workload& workload);
/// Of all tensors, on the device and on the host.
std::int64_t tensor_bytes(const Workload& workload);

class Built {
 public:
  /// Tensors on the session's device, which must outlive this, filled with normal(0,1) data. `variant` of the
  /// products; empty: the device's default.
  static core::Result<Built> make(Session& session,
                                  const Workload& workload,
                                  const std::string& variant,
                                  std::uint64_t seed);

  /// A step: the input to the device, the layers, the output back, and the wait for it.
  const std::vector<Action>& step() const { return actions_; }
  /// Runs one step into poisoned tensors. Each layer's product is checked against FP64 within its bound, the
  /// bias and activation after it, and what came back to the host, element by element for equality.
  core::Result<numerics::Verification> verify(int threads) const;

 private:
  struct Layer {
    std::unique_ptr<device::Buffer> weights, bias, product, output;
    device::Gemm gemm;
    device::BiasActivation activation;
  };

  Built(Session& session, const Workload& workload) : session_(&session), workload_(workload) {}
  core::Status add_layer(const device::Gemm& shape, device::TensorView input, bool last);
  core::Status fill(std::uint64_t seed);
  void describe_step();
  void describe_layer(const Layer& layer);

  Session* session_;
  Workload workload_;
  std::unique_ptr<device::Buffer> input_, host_input_, host_output_;
  device::TensorView input_view_;
  std::vector<Layer> layers_;
  std::vector<Action> actions_;
};

}  // namespace jissoku::experiments::profile
