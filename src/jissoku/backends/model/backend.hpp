// Modelled accelerators on a virtual clock: ground truth for tests of measuring, and a what-if for people.
// Their times are computed from data/devices.json and stated assumptions, never measured; their results
// are real, computed by a device that is here. docs/model.md says what a model is and what it is not.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "jissoku/device/backend.hpp"

namespace jissoku::backends::model {

/// Opens the device that computes the numbers: one that works on memory the host addresses. Called
/// when the first number is needed, and again after it has failed.
using Inject = std::function<core::Result<std::unique_ptr<device::Device>>()>;

/// Lists model:cpu and one model for each entry of `devices_json` (the text of data/devices.json) whose
/// arithmetic and memory are known. `devices_json` must outlive the backend. All models opened from one
/// backend share the virtual host clock, which starts at 0, and the injected device.
device::Backend make_backend(std::string_view devices_json, Inject inject);

}  // namespace jissoku::backends::model
