#include "jissoku/core/shared_library.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <system_error>

namespace jissoku::core {

Result<SharedLibrary> SharedLibrary::open(const std::string& name) {
  void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = dlerror();
    return make_error(ExitCode::unavailable,
                      "core.library_not_loaded",
                      {{"file", name}, {"why", std::string(why != nullptr ? why : "")}});
  }
  std::string file = name;
  if (link_map* map = nullptr; dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr) {
    file = map->l_name;
  }
  std::error_code unresolved;
  const std::filesystem::path resolved = std::filesystem::canonical(file, unresolved);
  return SharedLibrary(handle, unresolved ? file : resolved.string());
}

void* SharedLibrary::symbol(const char* name) const {
  return dlsym(handle_, name);
}

std::string loaders_words(const Error& error) {
  const Value* const why = error.message.find("why");
  const std::string* const text = why == nullptr ? nullptr : std::get_if<std::string>(why);
  return text == nullptr ? "" : *text;
}

}  // namespace jissoku::core
