#include "jissoku/device/backend.hpp"

#include <algorithm>

#include "jissoku/core/suggest.hpp"

namespace jissoku::device {
namespace {

using core::Error;
using core::ExitCode;
using core::make_error;

/// "opencl" of "opencl:0:own".
std::string backend_name(std::string_view selector) {
  return std::string(selector.substr(0, selector.find(':')));
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

/// Whether `selector` is `id` or `id` with a variant after it.
bool begins_with_id(std::string_view selector, std::string_view id) {
  return selector.substr(0, id.size()) == id && (selector.size() == id.size() || selector[id.size()] == ':');
}

Error unknown_backend(const std::vector<Backend>& backends, const std::string& name) {
  std::vector<std::string> names;
  names.reserve(backends.size());
  for (const Backend& backend : backends) {
    names.push_back(backend.name);
  }
  const std::string near = core::nearest(name, names);
  if (near.empty()) {
    return make_error(ExitCode::usage, "device.unknown", {{"text", name}, {"known", join(names)}});
  }
  return make_error(
      ExitCode::usage, "device.unknown_near", {{"text", name}, {"near", near}, {"known", join(names)}});
}

/// The backend is known, but has no such device.
Error no_such_device(const Listing& listing, const std::string& asked, const std::string& backend) {
  std::vector<std::string> ids;
  for (const Info& info : listing.devices) {
    ids.push_back(info.id);
  }
  if (!ids.empty()) {
    return make_error(ExitCode::unavailable,
                      "device.no_such_device",
                      {{"text", asked}, {"backend", backend}, {"known", join(ids)}});
  }
  if (listing.reasons.empty()) {
    return make_error(ExitCode::unavailable, "device.none_found", {{"text", asked}});
  }
  return make_error(
      ExitCode::unavailable, "device.none_because", {{"text", asked}, {"reasons", listing.reasons}});
}

const Backend* find_backend(const std::vector<Backend>& backends, const std::string& name) {
  const auto found =
      std::find_if(backends.begin(), backends.end(), [&](const Backend& one) { return one.name == name; });
  return found == backends.end() ? nullptr : &*found;
}

/// The device with the longest id that the selector begins with.
const Info* find_device(const Listing& listing, std::string_view selector) {
  const Info* found = nullptr;
  for (const Info& info : listing.devices) {
    if (begins_with_id(selector, info.id) && (found == nullptr || info.id.size() > found->id.size())) {
      found = &info;
    }
  }
  return found;
}

}  // namespace

void Registry::add(Backend backend) {
  backends_.push_back(std::move(backend));
}

core::Result<Selection> Registry::parse(std::string_view selector) const {
  const std::string asked(selector);
  const std::string name = backend_name(selector);
  if (name.empty() || selector.back() == ':') {
    return make_error(ExitCode::usage, "device.incomplete", {{"text", asked}});
  }
  const Backend* backend = find_backend(backends_, name);
  if (backend == nullptr) {
    return unknown_backend(backends_, name);
  }
  const Listing listing = backend->list();
  const Info* device = find_device(listing, selector);
  if (device == nullptr) {
    return no_such_device(listing, asked, name);
  }
  Selection selection{device->id, {}};
  if (selector.size() > device->id.size()) {
    selection.variant = asked.substr(device->id.size() + 1);
  }
  const std::vector<std::string>& known = device->variant_names;
  if (!selection.variant.empty() && !known.empty() &&
      std::find(known.begin(), known.end(), selection.variant) == known.end()) {
    return make_error(ExitCode::unavailable,
                      "device.no_such_variant",
                      {{"device", device->id}, {"variant", selection.variant}, {"known", join(known)}});
  }
  return selection;
}

core::Result<std::unique_ptr<Device>> Registry::open(const std::string& id,
                                                     const OpenOptions& options) const {
  const std::string name = backend_name(id);
  const Backend* backend = find_backend(backends_, name);
  if (backend == nullptr) {
    return unknown_backend(backends_, name);
  }
  const Listing listing = backend->list();
  const bool listed = std::any_of(
      listing.devices.begin(), listing.devices.end(), [&](const Info& info) { return info.id == id; });
  if (!listed) {
    return no_such_device(listing, id, name);
  }
  return backend->open(id, options);
}

}  // namespace jissoku::device
