#include "jissoku/backends/cuda/runtime/shared_object.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <system_error>

namespace jissoku::backends::cuda {

core::Result<SharedObject> SharedObject::open(const std::string& name) {
  void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = dlerror();
    return core::make_error(core::ExitCode::unavailable,
                            "cuda.driver_unloadable",
                            {{"why", std::string(why != nullptr ? why : "")}});
  }
  std::string file = name;
  if (link_map* map = nullptr; dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr) {
    file = map->l_name;
  }
  std::error_code unresolved;
  const std::filesystem::path resolved = std::filesystem::canonical(file, unresolved);
  return SharedObject(handle, unresolved ? file : resolved.string());
}

void* SharedObject::symbol(const char* name) const {
  return dlsym(handle_, name);
}

}  // namespace jissoku::backends::cuda
