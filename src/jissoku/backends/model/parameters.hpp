// What a modelled accelerator is: numbers, all in one struct, so that a test knows the truth in closed
// form. Where the numbers of the shipped models come from: table.hpp and assumptions.hpp.
#pragma once

#include <cstdint>
#include <map>

#include "jissoku/core/message.hpp"
#include "jissoku/numerics/data_type.hpp"

namespace jissoku::backends::model {

/// How fast products of one number format are.
struct Rate {
  double flops_per_second = 0;  ///< datasheet peak; 0: no such products, see reason
  double reachable_share = 1;   ///< of the peak, what the best shape gets
  core::Message reason;         ///< why there is no rate
};

/// Block of C that one compute unit works on, and the step along K. Products are padded to whole tiles.
struct Tile {
  std::int64_t rows = 1, columns = 1, depth = 1;
};

struct Parameters {
  std::map<numerics::DataType, Rate> rates;  ///< absent is as without a rate
  double memory_bytes_per_second = 1;
  double memory_reachable_share = 1;
  std::int64_t memory_bytes = 0;  ///< capacity for MemoryKind::device

  Tile tile;
  std::int64_t compute_units = 0;  ///< tiles run in waves of this many; 0: no waves

  double pinned_bytes_per_second = 1;    ///< to and from page-locked and mapped host memory, each way
  double pageable_bytes_per_second = 1;  ///< to and from ordinary host memory

  std::int64_t call_ns = 0;         ///< host time of each launch, copy, record and wait
  std::int64_t synchronise_ns = 0;  ///< host time of a synchronisation beyond the waiting
  double launch_latency_ns = 0;     ///< device time of a kernel beyond its work
  double copy_latency_ns = 0;       ///< device time of a copy over the link beyond its bytes

  double noise_sigma = 0;            ///< of the logarithm of each duration's factor, whose mean is 1
  double launch_jitter_ns = 0;       ///< mean of an exponential addition to each kernel's time
  std::uint64_t seed = 1;            ///< of noise and jitter
  std::int64_t clock_offset_ns = 0;  ///< device clock minus host clock
  bool compute = true;               ///< false: times only, memory stays as it is
};

}  // namespace jissoku::backends::model
