#include "jissoku/cli/plugin_backend.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include "jissoku/core/shared_library.hpp"
#include "jissoku/device/plugin.hpp"

namespace jissoku::cli {
namespace {

using core::Message;
using core::message;
using core::Result;

/// The first of the folders' files of that name; "" if none has one.
std::string find_file(const std::vector<std::string>& folders, const std::string& name) {
  for (const std::string& folder : folders) {
    const std::filesystem::path file = std::filesystem::path(folder) / name;
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) {
      return file.string();
    }
  }
  return {};
}

std::vector<std::string> split_path(const char* variable) {
  std::vector<std::string> folders;
  std::string rest = variable == nullptr ? "" : variable;
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    folders.push_back(rest.substr(0, end));
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
  }
  return folders;
}

core::Error unavailable(Message reason) {
  return {core::ExitCode::unavailable, std::move(reason)};
}

/// Checks in the order in which members keep their meaning between versions.
Result<device::Backend> take_backend(const device::Plugin& plugin, const std::string& file) {
  const bool ours = plugin.magic == device::Plugin::kMagic &&
                    std::strcmp(plugin.version, JISSOKU_VERSION) == 0 &&
                    std::strcmp(plugin.interface, JISSOKU_PLUGIN_INTERFACE) == 0;
  if (!ours) {
    const bool readable = plugin.magic == device::Plugin::kMagic;
    return unavailable(message("cli.plugin_other_version",
                               {{"file", file},
                                {"version", std::string(readable ? plugin.version : "?")},
                                {"ours", std::string(JISSOKU_VERSION)}}));
  }
  device::Backend backend;
  plugin.make_backend(backend);
  return backend;
}

class LazyPlugin {
 public:
  LazyPlugin(std::string name, std::string driver, std::string file, bool driver_installed)
      : name_(std::move(name)),
        driver_(std::move(driver)),
        file_(std::move(file)),
        driver_installed_(driver_installed) {}

  const Result<device::Backend>& get() {
    std::call_once(once_, [&] { backend_ = std::make_unique<Result<device::Backend>>(load()); });
    return *backend_;
  }

 private:
  Result<device::Backend> load() const {
    if (file_.empty()) {
      return unavailable(driver_installed_ ? no_plugin() : no_driver());
    }
    const auto library = core::SharedLibrary::open(file_);
    if (!library) {
      const std::string why = core::loaders_words(library.error());
      const bool lacks_driver = why.find(driver_) != std::string::npos;
      return lacks_driver ? unavailable(no_driver()) : unloadable(why);
    }
    std::remove_pointer_t<device::PluginEntry>* entry = nullptr;
    const device::Plugin* const plugin = library->find(device::kPluginEntry, entry) ? entry() : nullptr;
    if (plugin == nullptr) {
      return unloadable(std::string("it does not export ") + device::kPluginEntry);
    }
    return take_backend(*plugin, file_);
  }

  core::Error unloadable(const std::string& why) const {
    return unavailable(message("cli.plugin_unloadable", {{"file", file_}, {"why", why}}));
  }
  Message no_plugin() const { return message("cli.no_plugin", {{"backend", name_}, {"library", driver_}}); }
  Message no_driver() const { return message("cli.no_driver", {{"backend", name_}, {"library", driver_}}); }

  std::string name_, driver_, file_;
  bool driver_installed_;
  std::once_flag once_;
  std::unique_ptr<Result<device::Backend>> backend_;
};

}  // namespace

device::Backend plugin_backend(const std::string& name,
                               const std::string& driver,
                               const std::vector<std::string>& plugin_folders,
                               const std::vector<std::string>& driver_folders) {
  const auto plugin = std::make_shared<LazyPlugin>(name,
                                                   driver,
                                                   find_file(plugin_folders, "jissoku_" + name + ".so"),
                                                   !find_file(driver_folders, driver).empty());
  device::Backend backend;
  backend.name = name;
  backend.list = [plugin] {
    const auto& inner = plugin->get();
    return inner.ok() ? inner->list() : device::Listing{{}, {inner.error().message}};
  };
  backend.open = [plugin](const std::string& id,
                          const device::OpenOptions& options) -> Result<std::unique_ptr<device::Device>> {
    const auto& inner = plugin->get();
    if (!inner) {
      return inner.error();
    }
    return inner->open(id, options);
  };
  return backend;
}

std::vector<std::string> plugin_folders() {
  if (const char* variable = std::getenv("JISSOKU_PLUGIN_PATH"); variable != nullptr && *variable != '\0') {
    return split_path(variable);
  }
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) {
    return {};
  }
  const std::filesystem::path folder = program.parent_path();
  return {(folder / "plugins").string(),
          (folder / "../plugins").lexically_normal().string(),
          (folder / "../lib/jissoku/plugins").lexically_normal().string()};
}

std::vector<std::string> library_folders() {
  std::vector<std::string> folders = split_path(std::getenv("LD_LIBRARY_PATH"));
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu",
                             "/usr/lib/aarch64-linux-gnu",
                             "/usr/lib64",
                             "/usr/lib",
                             "/usr/local/lib",
                             "/usr/lib/wsl/lib",
                             "/usr/lib64-nvidia",
                             "/usr/local/nvidia/lib64"}) {
    folders.emplace_back(folder);
  }
  return folders;
}

}  // namespace jissoku::cli
