#include "jissoku/backends/opencl/facts.hpp"

#include <cstdio>
#include <sstream>

#include "jissoku/core/message.hpp"

namespace jissoku::backends::opencl {
namespace {

std::string one_blank(const std::string& text) {
  std::istringstream words(text);
  std::string result;
  for (std::string word; words >> word;) {
    result += (result.empty() ? "" : " ") + word;
  }
  return result;
}

std::string id_of(int index) {
  return "opencl:" + std::to_string(index);
}

}  // namespace

bool has_extension(const std::string& extensions, const std::string& name) {
  return (" " + extensions + " ").find(" " + name + " ") != std::string::npos;
}

int opencl_version(const std::string& text) {
  int major = 0;
  int minor = 0;
  return std::sscanf(text.c_str(), "OpenCL %d.%d", &major, &minor) == 2 ? major * 100 + minor : 0;
}

bool Facts::is_pocl() const {
  return platform_name == "Portable Computing Language";
}

bool Facts::has_f64() const {
  return double_width > 0 || has_extension(extensions, "cl_khr_fp64");
}

bool Facts::has_f16() const {
  return has_extension(extensions, "cl_khr_fp16");
}

std::string readable_name(const Facts& facts) {
  std::string name = facts.name;
  // PoCL: driver, dash, LLVM's lower-case name of the CPU (which may hold a dash), dash, the CPU's own name.
  const std::string driver = "pthread-";
  if (facts.is_pocl() && name.rfind(driver, 0) == 0) {
    const std::size_t own = name.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    name = name.substr(own == std::string::npos ? driver.size() : own);
  }
  const std::string readable = one_blank(name);
  return readable.empty() ? one_blank(facts.vendor + " device") : readable;
}

device::Info describe(const Facts& facts, int index) {
  device::Info info;
  info.id = id_of(index);
  info.name = readable_name(facts) + (facts.is_pocl() ? " through PoCL" : "");
  info.backend = "opencl";
  info.fingerprint = one_blank(facts.vendor) + "/" + one_blank(facts.name) + "/" +
                     std::to_string(facts.compute_units) + "/" + std::to_string(facts.memory_bytes);
  info.driver = one_blank(facts.platform_name) + ", " + one_blank(facts.device_version) + ", driver " +
                one_blank(facts.driver_version);
  info.is_host = facts.is_cpu;
  info.queued = true;
  info.compute_units = facts.compute_units;
  info.memory_bytes = facts.memory_bytes;
  info.variant_names = {"own", "clblast"};
  if (facts.is_cpu) {
    info.notes.push_back(core::message("opencl.shares_cpu", {{"device", info.id}}));
  }
  return info;
}

core::Message unusable(const Facts& facts, int index) {
  const std::string device = id_of(index) + " (" + readable_name(facts) + ")";
  if (!facts.available) {
    return core::message("opencl.not_available", {{"device", device}});
  }
  if (!facts.compiler) {
    return core::message("opencl.no_compiler", {{"device", device}});
  }
  if (opencl_version(facts.device_version) < 102) {
    return core::message("opencl.too_old",
                         {{"device", device}, {"version", one_blank(facts.device_version)}});
  }
  return {};
}

}  // namespace jissoku::backends::opencl
