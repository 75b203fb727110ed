#include "jissoku/backends/opencl/own_gemm.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "jissoku/backends/opencl/memory.hpp"
#include "jissoku/device/host_memory.hpp"

namespace jissoku::embedded {
extern const std::string_view opencl_gemm_cl;
}

namespace jissoku::backends::opencl {
namespace {

using device::Gemm;
using device::Support;
using device::TensorView;
using numerics::DataType;

/// Rows, columns and depth are 32-bit in the kernel, with room to round up.
constexpr std::int64_t kLargestDimension = std::numeric_limits<cl_int>::max() - 4096;
/// What packed panels of a batch may take together.
constexpr double kPackedBytes = 256.0 * 1024 * 1024;

/// Large enough to need cache blocks and several tiles for each compute unit of a large device.
constexpr std::int64_t kTrialSize = 768;
constexpr int kTrialLaunches = 6;

GemmTypes types_of(const Gemm& gemm) {
  return {gemm.a.type, gemm.c.type};
}

std::string shown(DataType type) {
  return std::string(numerics::display_name(type));
}

/// Where element (lane, depth) of op(A) or op(B) lies: lanes are rows of op(A), columns of op(B).
struct Steps {
  cl_ulong lane, depth;
};
Steps steps_of(const TensorView& view, bool lanes_are_rows) {
  const auto ld = static_cast<cl_ulong>(view.leading_dimension);
  return lanes_are_rows ? Steps{ld, 1} : Steps{1, ld};
}

Gemm trial_product(const GemmTypes& types) {
  Gemm gemm;
  for (TensorView* view : {&gemm.a, &gemm.b, &gemm.c}) {
    view->type = types.input;
    view->rows = view->columns = view->leading_dimension = kTrialSize;
  }
  gemm.c.type = gemm.accumulator = types.output;
  return gemm;
}

std::size_t real_bytes(const GemmTypes& types) {
  return types.is_double() ? sizeof(double) : sizeof(float);
}

/// Bytes of the packed panels of one matrix.
std::size_t packed_bytes(std::int64_t count, int lanes, std::int64_t depth, const GemmTypes& types) {
  return static_cast<std::size_t>(panels_of(count, lanes) * lanes * depth) * real_bytes(types);
}

/// One piece of the depth of some matrices of a batch.
struct Piece {
  const Gemm& gemm;
  const GemmMemory& memory;
  cl_mem a_packed, b_packed;
  bool a_in_place;
  std::int64_t m, n;
  std::int64_t first_batch, batches;
  std::int64_t start, depth;
};

Range range_of(std::int64_t x, std::int64_t y, std::int64_t z, int local_x, int local_y) {
  Range range;
  range.local = {static_cast<std::size_t>(local_x), static_cast<std::size_t>(local_y), 1};
  range.global = {static_cast<std::size_t>(round_up(x, local_x)),
                  static_cast<std::size_t>(round_up(y, local_y)),
                  static_cast<std::size_t>(z)};
  return range;
}

cl_ulong start_of(const TensorView& view, std::int64_t batch) {
  return static_cast<cl_ulong>(view.offset_elements + batch * view.batch_stride);
}

core::Status pack(OpenClStream& stream,
                  cl_kernel kernel,
                  const GemmConfig& config,
                  const Piece& piece,
                  Commands& commands) {
  const Gemm& gemm = piece.gemm;
  const Steps a = steps_of(gemm.a, !gemm.transpose_a);
  const Steps b = steps_of(gemm.b, gemm.transpose_b);
  const std::int64_t packed_rows = piece.a_in_place ? 0 : piece.m;
  auto set = set_arguments(stream.runtime(),
                           kernel,
                           piece.memory.a,
                           start_of(gemm.a, piece.first_batch),
                           a.lane,
                           a.depth,
                           static_cast<cl_ulong>(gemm.a.batch_stride),
                           piece.memory.b,
                           start_of(gemm.b, piece.first_batch),
                           b.lane,
                           b.depth,
                           static_cast<cl_ulong>(gemm.b.batch_stride),
                           piece.a_packed,
                           piece.b_packed,
                           static_cast<cl_int>(packed_rows),
                           static_cast<cl_int>(piece.n),
                           static_cast<cl_int>(piece.start),
                           static_cast<cl_int>(piece.depth));
  if (!set) {
    return set;
  }
  const std::int64_t panels = panels_of(packed_rows, config.rows) + panels_of(piece.n, config.columns());
  const std::int64_t depths = panels_of(piece.depth, kPackDepth);
  return stream.run(kernel, range_of(panels, depths, piece.batches, config.local_rows, 1), commands);
}

template <typename Real>
core::Status multiply(OpenClStream& stream,
                      cl_kernel kernel,
                      const GemmConfig& config,
                      const Piece& piece,
                      Commands& commands) {
  const Gemm& gemm = piece.gemm;
  const std::int64_t tiles = panels_of(piece.n, config.columns());
  const std::int64_t blocks = panels_of(tiles, config.block);
  const std::int64_t block = panels_of(tiles, static_cast<int>(blocks));
  auto set = set_arguments(stream.runtime(),
                           kernel,
                           piece.a_in_place ? piece.memory.a : piece.a_packed,
                           start_of(gemm.a, piece.first_batch),
                           static_cast<cl_ulong>(gemm.a.leading_dimension),
                           static_cast<cl_ulong>(gemm.a.batch_stride),
                           piece.b_packed,
                           piece.memory.c,
                           start_of(gemm.c, piece.first_batch),
                           static_cast<cl_ulong>(gemm.c.leading_dimension),
                           static_cast<cl_ulong>(gemm.c.batch_stride),
                           static_cast<cl_int>(piece.m),
                           static_cast<cl_int>(piece.n),
                           static_cast<cl_int>(piece.start),
                           static_cast<cl_int>(piece.depth),
                           static_cast<cl_int>(block),
                           static_cast<cl_int>(blocks),
                           static_cast<Real>(gemm.alpha),
                           piece.start == 0 ? static_cast<Real>(gemm.beta) : Real{1});
  if (!set) {
    return set;
  }
  const Range range = range_of(block,
                               panels_of(piece.m, config.rows),
                               blocks * piece.batches,
                               config.local_columns,
                               config.local_rows);
  return stream.run(kernel, range, commands);
}

}  // namespace

Support OwnGemm::supports(const Gemm& gemm) const {
  const auto refuse = [](core::Message reason) { return Support{false, false, std::move(reason)}; };
  const DataType in = gemm.a.type;
  const DataType out = gemm.c.type;
  const bool narrow = in == DataType::f16 || in == DataType::bf16;
  const bool known =
      (in == out && (in == DataType::f32 || in == DataType::f64)) || (narrow && out == DataType::f32);
  if (!known || gemm.b.type != in || gemm.accumulator != out) {
    return refuse(core::message("opencl.gemm_types",
                                {{"a", shown(in)},
                                 {"b", shown(gemm.b.type)},
                                 {"c", shown(out)},
                                 {"accumulator", shown(gemm.accumulator)}}));
  }
  const std::int64_t k = gemm.transpose_a ? gemm.a.rows : gemm.a.columns;
  const std::int64_t largest = std::max({gemm.c.rows, gemm.c.columns, k});
  if (largest > kLargestDimension) {
    return refuse(core::message("opencl.dimension", {{"dimension", largest}, {"most", kLargestDimension}}));
  }
  Support support{true, narrow, {}};
  if (narrow) {
    support.reason = core::message("opencl.widened", {{"type", shown(in)}});
  }
  return support;
}

core::Result<OwnGemm::Prepared> OwnGemm::build(const GemmConfig& config, const GemmTypes& types) {
  Prepared prepared;
  prepared.config = config;
  const std::int64_t start_ns = device::host_clock_ns();
  const std::string options = gemm_options(config, types, runtime_->facts());
  struct Wanted {
    cl_kernel* kernel;
    const char *name, *more_options;
  };
  std::vector<Wanted> wanted = {{&prepared.pack, "pack", ""}, {&prepared.multiply, "multiply", ""}};
  if (reads_a_in_place(config, types, runtime_->facts())) {
    wanted.push_back({&prepared.multiply_in_place, "multiply", " -D A_IN_PLACE"});
  }
  for (const Wanted& one : wanted) {
    auto made = runtime_->kernel(embedded::opencl_gemm_cl, options + one.more_options, one.name);
    if (!made) {
      return made.error();
    }
    *one.kernel = *made;
  }
  prepared.compile_ns = static_cast<double>(device::host_clock_ns() - start_ns);
  return prepared;
}

core::Result<double> OwnGemm::try_out(Prepared& prepared, const GemmTypes& types) {
  auto queue = runtime_->create_queue();
  if (!queue) {
    return queue.error();
  }
  OpenClStream stream(runtime_, std::move(*queue));
  Gemm gemm = trial_product(types);
  const std::vector<std::byte> zeros(static_cast<std::size_t>(kTrialSize * kTrialSize) * sizeof(double));
  std::array<Handle<cl_mem>, 3> memory;
  Commands commands;
  for (Handle<cl_mem>& one : memory) {
    auto made = create_device_memory(*runtime_, zeros.size());
    if (!made) {
      return made.error();
    }
    one = std::move(*made);
    if (auto written = stream.write(one.get(), 0, zeros.data(), zeros.size(), commands); !written) {
      stream.abandon();
      return written.error();
    }
  }
  double shortest_ns = 0;
  for (int launch = 0; launch < kTrialLaunches; ++launch) {
    const std::int64_t start_ns = device::host_clock_ns();
    const GemmMemory operands{memory[0].get(), memory[1].get(), memory[2].get()};
    core::Status done = enqueue(stream, prepared, gemm, operands, commands);
    done = done ? stream.finish() : done;
    if (!done) {
      stream.abandon();
      return done.error();
    }
    const auto time_ns = static_cast<double>(device::host_clock_ns() - start_ns);
    if (launch == 0) {
      prepared.compile_ns += time_ns;
    }
    shortest_ns = launch <= 1 ? time_ns : std::min(shortest_ns, time_ns);
  }
  return shortest_ns;
}

core::Result<OwnGemm::Candidates> OwnGemm::build_all(const GemmTypes& types) {
  Candidates usable;
  core::Error first_fault;
  const std::vector<GemmConfig> configs = gemm_candidates(runtime_->facts(), types.is_double());
  for (const GemmConfig& config : configs) {
    auto built = build(config, types);
    if (built && configs.size() == 1) {
      return Candidates{*built};
    }
    const core::Result<double> time_ns = built ? try_out(*built, types) : built.error();
    if (time_ns) {
      built->trial_ns = *time_ns;
      usable.push_back(*built);
    } else if (first_fault.message.id.empty()) {
      first_fault = time_ns.error();
    }
  }
  if (usable.empty()) {
    return first_fault;
  }
  return usable;
}

const OwnGemm::Prepared& OwnGemm::choose(const Gemm& gemm) const {
  const Candidates& candidates = prepared_.at({gemm.a.type, gemm.c.type});
  const auto expected_ns = [&gemm](const Prepared& prepared) {
    return prepared.trial_ns * padding(prepared.config, gemm.c.rows, gemm.c.columns) /
           padding(prepared.config, kTrialSize, kTrialSize);
  };
  return *std::min_element(candidates.begin(), candidates.end(), [&](const Prepared& a, const Prepared& b) {
    return expected_ns(a) < expected_ns(b);
  });
}

core::Status OwnGemm::enqueue(OpenClStream& stream,
                              const Prepared& prepared,
                              const Gemm& gemm,
                              const GemmMemory& memory,
                              Commands& commands) {
  const GemmConfig& config = prepared.config;
  const GemmTypes types = types_of(gemm);
  const std::int64_t k = gemm.transpose_a ? gemm.a.rows : gemm.a.columns;
  const std::int64_t depth = piece_depth(k, config.depth);
  const bool a_in_place = prepared.multiply_in_place != nullptr && !gemm.transpose_a;
  const std::size_t a_bytes = a_in_place ? 0 : packed_bytes(gemm.c.rows, config.rows, depth, types);
  const std::size_t b_bytes = packed_bytes(gemm.c.columns, config.columns(), depth, types);
  const std::int64_t batches =
      batch_at_once(gemm.c.batch, static_cast<double>(a_bytes + b_bytes), kPackedBytes);
  const auto a_packed =
      stream.scratch(0, std::max(a_bytes * static_cast<std::size_t>(batches), std::size_t{64}));
  const auto b_packed = stream.scratch(1, b_bytes * static_cast<std::size_t>(batches));
  if (!a_packed || !b_packed) {
    return a_packed ? b_packed.error() : a_packed.error();
  }
  const cl_kernel kernel = a_in_place ? prepared.multiply_in_place : prepared.multiply;
  Piece piece{gemm, memory, *a_packed, *b_packed, a_in_place, gemm.c.rows, gemm.c.columns, 0, 0, 0, 0};
  for (; piece.first_batch < gemm.c.batch; piece.first_batch += piece.batches) {
    piece.batches = std::min(batches, gemm.c.batch - piece.first_batch);
    for (piece.start = 0; piece.start < k; piece.start += piece.depth) {
      piece.depth = std::min(depth, k - piece.start);
      core::Status done = pack(stream, prepared.pack, config, piece, commands);
      if (done) {
        done = types.is_double() ? multiply<cl_double>(stream, kernel, config, piece, commands)
                                 : multiply<cl_float>(stream, kernel, config, piece, commands);
      }
      if (!done) {
        return done;
      }
    }
  }
  return {};
}

core::Status OwnGemm::prepare(const Gemm& gemm) {
  const auto key = std::pair{gemm.a.type, gemm.c.type};
  if (prepared_.count(key) != 0) {
    return {};
  }
  auto candidates = build_all(types_of(gemm));
  if (!candidates) {
    return candidates.error();
  }
  prepared_.emplace(key, std::move(*candidates));
  return {};
}

device::Variant OwnGemm::variant(const Gemm& gemm) {
  device::Variant variant;
  variant.name = "own";
  variant.library = "Jissoku";
  if (const auto ready = prepare(gemm); !ready) {
    variant.notes.push_back(ready.error().message);
    return variant;
  }
  double compile_ns = 0;
  for (const Prepared& candidate : prepared_.at({gemm.a.type, gemm.c.type})) {
    compile_ns += candidate.compile_ns;
  }
  variant.kernel = choose(gemm).config.name(types_of(gemm).is_double());
  variant.notes.push_back(core::message("opencl.compiled", {{"time", compile_ns}}));
  return variant;
}

core::Status OwnGemm::launch(OpenClStream& stream,
                             const Gemm& gemm,
                             const GemmMemory& memory,
                             Commands& commands) {
  if (auto ready = prepare(gemm); !ready) {
    return ready;
  }
  return enqueue(stream, choose(gemm), gemm, memory, commands);
}

}  // namespace jissoku::backends::opencl
