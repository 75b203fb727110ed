// The entry of jissoku_opencl.so; see device/plugin.hpp.
#include "jissoku/device/plugin.hpp"

#include "jissoku/backends/opencl/backend.hpp"

extern "C" [[gnu::visibility("default")]] const jissoku::device::Plugin* jissoku_plugin();

const jissoku::device::Plugin* jissoku_plugin() {
  static const jissoku::device::Plugin kPlugin{.make_backend = [](jissoku::device::Backend& backend) {
    backend = jissoku::backends::opencl::make_backend();
  }};
  return &kPlugin;
}
