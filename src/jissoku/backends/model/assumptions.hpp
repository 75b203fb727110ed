// What data/devices.json does not say and a model needs: assumptions, labelled as such in docs/model.md,
// which holds the same tables with their reasons.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "jissoku/numerics/data_type.hpp"

namespace jissoku::backends::model {

/// "full speed" on the best shape is 70 to 85 % of a dense peak (published reachable figures).
inline constexpr double kReachableShare = 0.75;
inline constexpr double kMemoryReachableShare = 0.85;
/// Page-locked copies reach this share of a link's usable rate.
inline constexpr double kPinnedShare = 0.8;
/// Pageable copies go through a page-locked staging buffer: half as fast, and never above one host
/// thread's copying.
inline constexpr double kPageableShare = 0.5;
inline constexpr double kStagingBytesPerSecond = 10e9;

inline constexpr std::int64_t kTileEdge = 128;
inline constexpr std::int64_t kTileDepth = 32;

inline constexpr std::int64_t kCallNs = 2000;
inline constexpr std::int64_t kSynchroniseNs = 4000;
inline constexpr double kLaunchLatencyNs = 3000;
inline constexpr double kCopyLatencyNs = 8000;
inline constexpr double kNoiseSigma = 0.005;
inline constexpr double kLaunchJitterNs = 200;
/// Device clocks count from another moment than the host's.
inline constexpr std::int64_t kClockOffsetNs = 5'000'000'000;

/// Host link where the table names only the link between devices; "" where it names one.
std::string_view assumed_link(std::string_view key);

/// Usable bytes per second each way of the host link in a text such as "PCIe 4.0 x16; NVLink 3, ...";
/// nullopt if it names none.
std::optional<double> link_bytes_per_second(std::string_view link);

/// Compute units (SMs, CUs); 0 where not assumed.
std::int64_t compute_units(std::string_view key);

/// Where the table has no figure but a remark: the T4's FP16 products under its power cap.
std::optional<double> noted_share(std::string_view key, numerics::DataType type);

/// The short name people type for the first entry of a family; the table's key for all others. Fixed by
/// a list, so that new entries change no id.
std::string_view short_name(std::string_view key);

}  // namespace jissoku::backends::model
