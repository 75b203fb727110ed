// What goes into a document's header about the machine's devices; no device is opened for it.
#pragma once

#include <vector>

#include "jissoku/device/backend.hpp"
#include "jissoku/document/model.hpp"

namespace jissoku::experiments {

/// Fills header.devices and header.unavailable from every backend's listing.
void take_inventory(const device::Registry& registry, document::Header& header);

}  // namespace jissoku::experiments
