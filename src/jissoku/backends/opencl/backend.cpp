#include "jissoku/backends/opencl/backend.hpp"

#include <string>
#include <utility>

#include "jissoku/backends/opencl/discovery.hpp"
#include "jissoku/backends/opencl/opencl_device.hpp"

namespace jissoku::backends::opencl {
namespace {

const char kClblastLibrary[] = "libclblast.so.1";

device::Info info_of(std::size_t index) {
  const FoundDevice& found = discover().devices[index];
  device::Info info = describe(found.facts, static_cast<int>(index));
  if (!found.unusable.empty()) {
    info.notes.push_back(found.unusable);
  }
  return info;
}

device::Listing list() {
  device::Listing listing;
  for (std::size_t index = 0; index < discover().devices.size(); ++index) {
    listing.devices.push_back(info_of(index));
  }
  listing.reasons = discover().reasons;
  return listing;
}

core::Result<std::unique_ptr<device::Device>> open(const std::string& id,
                                                   const device::OpenOptions& options) {
  const std::vector<FoundDevice>& devices = discover().devices;
  for (std::size_t index = 0; index < devices.size(); ++index) {
    const FoundDevice& found = devices[index];
    if (found.id != id) {
      continue;
    }
    if (!found.unusable.empty()) {
      return core::Error{core::ExitCode::unavailable, found.unusable};
    }
    auto runtime = shared_runtime(found);
    if (!runtime) {
      return runtime.error();
    }
    device::Info info = info_of(index);
    if (found.facts.is_cpu && options.threads > 0 && options.threads != found.facts.compute_units) {
      info.notes.push_back(core::message("opencl.threads_not_followed",
                                         {{"device", id},
                                          {"threads", std::int64_t{options.threads}},
                                          {"units", std::int64_t{found.facts.compute_units}}}));
    }
    return OpenClDevice::open(std::move(info), std::move(*runtime), kClblastLibrary);
  }
  return core::make_error(core::ExitCode::unavailable, "device.none_found", {{"text", id}});
}

}  // namespace

device::Backend make_backend() {
  device::Backend backend;
  backend.name = "opencl";
  backend.list = list;
  backend.open = open;
  return backend;
}

}  // namespace jissoku::backends::opencl
