// Backends and their registry. A backend is a leaf: it lists its devices or says why there is none.
// All backends are named in one place, src/jissoku/cli/registration.cpp.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "jissoku/device/device.hpp"

namespace jissoku::device {

struct OpenOptions {
  int threads = 0;        ///< CPU threads, 0 = all usable
  std::vector<int> cpus;  ///< to pin to, one per thread; empty = the process's own mask
};

/// What a backend found without opening anything: quick (well under 100 ms).
struct Listing {
  std::vector<Info> devices;
  std::vector<core::Message> reasons;  ///< why there is none, or what is missing
};

struct Backend {
  std::string name;     ///< first part of its device ids
  bool oracle = false;  ///< slow on purpose: never chosen unless asked for by name
  std::function<Listing()> list;
  /// `id` is one of list(). Fails with `unavailable` and a reason.
  std::function<core::Result<std::unique_ptr<Device>>(const std::string& id, const OpenOptions&)> open;
};

/// A device as asked for on the command line: "cpu:openblas" is device "cpu", variant "openblas".
struct Selection {
  std::string id;
  std::string variant;  ///< empty: let the experiment choose among all
};

class Registry {
 public:
  void add(Backend backend);
  const std::vector<Backend>& backends() const { return backends_; }
  /// Splits a selector into device and variant: "opencl:0" and "opencl:0:own", "cpu" and "cpu:blis".
  /// Unknown backends and devices fail with `unavailable` and the reason the backend gave, or, for
  /// a name no backend has, `usage` with the nearest known one.
  core::Result<Selection> parse(std::string_view selector) const;
  core::Result<std::unique_ptr<Device>> open(const std::string& id, const OpenOptions& options) const;

 private:
  std::vector<Backend> backends_;
};

}  // namespace jissoku::device
