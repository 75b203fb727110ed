// Copies and memsets of a device by kind and by where the host's end lies.
#pragma once

#include <vector>

#include "jissoku/timeline/analysis/device_activity.hpp"

namespace jissoku::timeline::analysis {

struct CopyGroup {
  Category category = Category::memcpy;
  CopyKind kind = CopyKind::unknown;
  Memory from = Memory::unknown, to = Memory::unknown;
  std::int64_t count = 0;
  std::int64_t bytes = 0;           ///< of those that say
  std::int64_t time_ns = 0;         ///< summed
  std::int64_t timed_bytes_ns = 0;  ///< time of those that say their bytes
  bool is_pageable() const { return from == Memory::pageable || to == Memory::pageable; }
  bool crosses_link() const { return kind == CopyKind::host_to_device || kind == CopyKind::device_to_host; }
};

/// By time, the longest first.
std::vector<CopyGroup> copy_groups(const Timeline& timeline, const DeviceActivity& activity);
/// When data moved between host and device.
Intervals link_copies(const Timeline& timeline, const DeviceActivity& activity);

}  // namespace jissoku::timeline::analysis
