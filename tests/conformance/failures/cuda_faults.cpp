// The CUDA plugin fails on the pretended runtime (support/fake_cuda), which says so itself. On a real one
// nothing is made to fail.
#include <cstdlib>
#include <dlfcn.h>

#include "../device/harness.hpp"
#include "faults.hpp"

namespace jissoku::tests {
namespace {

/// What the pretended runtime offers beside CUDA.
struct Pretended {
  void (*fail_at)(long, int) = nullptr;
  long (*calls)() = nullptr;
  long (*live)() = nullptr;
};

/// Of the plugin that the registry has opened; empty members where it is a real one.
Pretended find_pretended() {
  Pretended found;
  const char* const folder = std::getenv("JISSOKU_PLUGIN_PATH");
  const std::string file = (folder != nullptr ? folder : "") + std::string("/jissoku_cuda.so");
  if (void* const plugin = dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD)) {
    found.fail_at = reinterpret_cast<void (*)(long, int)>(dlsym(plugin, "fake_cuda_fail_at"));
    found.calls = reinterpret_cast<long (*)()>(dlsym(plugin, "fake_cuda_calls"));
    found.live = reinterpret_cast<long (*)()>(dlsym(plugin, "fake_cuda_live"));
  }
  return found;
}

Fault cuda_fault(std::string name, int code, std::string message, bool loses_device) {
  Fault fault;
  fault.name = std::move(name);
  fault.code = code;
  fault.message = std::move(message);
  fault.loses_device = loses_device;
  fault.fewest_calls = 40;
  fault.may_be_survived = true;  // candidates for a product, and notes
  return fault;
}

class CudaInjector final : public FaultInjector {
 public:
  explicit CudaInjector(const Pretended& pretended) : pretended_(pretended) {}
  std::string name() const override { return "pretended"; }
  std::vector<Fault> faults() const override {
    return {cuda_fault("out_of_memory", 2, "", false),
            cuda_fault("busy", 46, "cuda.busy", false),
            cuda_fault("no_kernel_for_this_card", 209, "cuda.no_kernel_image", false),
            cuda_fault("unknown", 999, "", false),
            cuda_fault("illegal_address", 700, "cuda.lost", true),
            cuda_fault("lost_device", 719, "cuda.lost", true)};
  }
  core::Result<std::unique_ptr<device::Device>> open() override { return registry().open("cuda:0", {}); }
  void arm(const Fault& fault, long at) override {
    at_ = at;
    pretended_.fail_at(at + 1, fault.code);
  }
  bool disarm() override {
    const bool reached = pretended_.calls() > at_;
    pretended_.fail_at(0, 0);
    return reached;
  }
  long restart() override { return pretended_.live(); }

 private:
  Pretended pretended_;
  long at_ = 0;
};

const bool kOffered = offer_injectors([](const std::string& device) {
  FaultInjectors injectors;
  const Pretended pretended = device == "cuda:0" ? find_pretended() : Pretended{};
  if (pretended.fail_at != nullptr && pretended.calls != nullptr && pretended.live != nullptr) {
    injectors.push_back(std::make_unique<CudaInjector>(pretended));
  }
  return injectors;
});

}  // namespace
}  // namespace jissoku::tests
