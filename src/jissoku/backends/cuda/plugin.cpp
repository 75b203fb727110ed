// The shared object that the program opens when it asks for devices.
#include "jissoku/device/plugin.hpp"

#include "jissoku/backends/cuda/runtime/backend.hpp"

extern "C" __attribute__((visibility("default"))) const jissoku::device::Plugin* jissoku_plugin() {
  static const jissoku::device::Plugin kPlugin = [] {
    jissoku::device::Plugin plugin;
    plugin.make_backend = [](jissoku::device::Backend& backend) {
      backend = jissoku::backends::cuda::make_backend();
    };
    return plugin;
  }();
  return &kPlugin;
}
