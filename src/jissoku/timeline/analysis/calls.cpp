#include "jissoku/timeline/analysis/calls.hpp"

namespace jissoku::timeline::analysis {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// "cudaLaunchKernel" -> "LaunchKernel"; empty if it is no call of a device runtime.
std::string_view without_prefix(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "hip", "cu", "mtia", "ur", "ze", "cl", "jissoku"}) {
    const bool upper =
        name.size() > prefix.size() && name[prefix.size()] >= 'A' && name[prefix.size()] <= 'Z';
    if (name.starts_with(prefix) && upper) {
      return name.substr(prefix.size());
    }
  }
  return {};
}

}  // namespace

CallKind call_kind(std::string_view name) {
  const std::string_view call = without_prefix(name);
  if (call.empty()) {
    return CallKind::other;
  }
  if (contains(call, "GraphLaunch") ||
      (contains(call, "Launch") && (contains(call, "Kernel") || contains(call, "HostFunc")))) {
    return contains(call, "HostFunc") || contains(call, "Attribute") ? CallKind::other : CallKind::launch;
  }
  if (call.starts_with("StreamSynchronize") || call.starts_with("DeviceSynchronize") ||
      call.starts_with("EventSynchronize") || call.starts_with("CtxSynchronize") ||
      call.starts_with("ThreadSynchronize")) {
    return CallKind::synchronise;
  }
  if (call.starts_with("Memcpy")) {
    return contains(call, "Async") && !contains(call, "WithStream") ? CallKind::copy
                                                                    : CallKind::blocking_copy;
  }
  if (call.starts_with("Memset")) {
    return CallKind::memset;
  }
  if (call.starts_with("Malloc") || call.starts_with("Free") || call.starts_with("MemAlloc") ||
      call.starts_with("MemFree") || call.starts_with("HostAlloc") || call.starts_with("HostMalloc") ||
      call.starts_with("HostRegister") || call.starts_with("HostFree") ||
      call.starts_with("HostUnregister") || call.starts_with("MemCreate") || call.starts_with("MemMap") ||
      call.starts_with("ExtMalloc")) {
    // Stream-ordered allocation neither waits nor goes to the driver each time.
    return contains(call, "Async") ? CallKind::other : CallKind::allocate;
  }
  if (call.starts_with("ModuleLoad") || call.starts_with("LibraryLoad") || call.starts_with("Link") ||
      call.starts_with("ModuleGetFunction") || call.starts_with("LibraryGetKernel")) {
    return CallKind::load;
  }
  return CallKind::other;
}

std::vector<CallKind> call_kinds(const Timeline& timeline) {
  std::vector<CallKind> out(timeline.strings.size());
  for (StringId id = 0; id < timeline.strings.size(); ++id) {
    out[id] = call_kind(timeline.strings[id]);
  }
  return out;
}

}  // namespace jissoku::timeline::analysis
