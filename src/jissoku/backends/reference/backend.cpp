#include "jissoku/backends/reference/backend.hpp"

#include "jissoku/backends/reference/reference_device.hpp"

namespace jissoku::backends::reference {

device::Backend make_backend() {
  device::Backend backend;
  backend.name = ReferenceDevice::describe().id;
  backend.oracle = true;
  backend.list = [] { return device::Listing{{ReferenceDevice::describe()}, {}}; };
  backend.open = [](const std::string&,
                    const device::OpenOptions&) -> core::Result<std::unique_ptr<device::Device>> {
    return std::unique_ptr<device::Device>(std::make_unique<ReferenceDevice>());
  };
  return backend;
}

}  // namespace jissoku::backends::reference
