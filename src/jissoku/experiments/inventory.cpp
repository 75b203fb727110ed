#include "jissoku/experiments/inventory.hpp"

namespace jissoku::experiments {

void take_inventory(const device::Registry& registry, document::Header& header) {
  for (const device::Backend& backend : registry.backends()) {
    const device::Listing listing = backend.list();
    for (const device::Info& info : listing.devices) {
      document::DeviceRecord record;
      record.id = info.id;
      record.name = info.name;
      record.backend = info.backend;
      record.fingerprint = info.fingerprint;
      record.driver = info.driver;
      record.is_host = info.is_host;
      record.modelled = info.modelled;
      record.compute_units = info.compute_units;
      record.memory_bytes = info.memory_bytes;
      record.notes = info.notes;
      header.devices.push_back(std::move(record));
    }
    header.unavailable.insert(header.unavailable.end(), listing.reasons.begin(), listing.reasons.end());
  }
}

}  // namespace jissoku::experiments
