// The narrow waist: what every backend implements and every experiment is written against.
// Start here. A backend lists its devices (backend.hpp), a Device allocates buffers, makes streams
// and events, copies and launches operations, and keeps time on its own clock.
//
// Threads: a Device is used by one thread at a time. Objects it made must not outlive it.
// Errors: every call may fail with a reason (out of memory, build failure, lost device); none aborts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jissoku/core/result.hpp"
#include "jissoku/device/operation.hpp"

namespace jissoku::device {

enum class MemoryKind {
  device,    ///< the accelerator's own memory
  pageable,  ///< ordinary host memory
  pinned,    ///< page-locked host memory
  mapped,    ///< host memory the device addresses directly
};

/// Owns its memory. Contents are undefined until written.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual std::size_t size_bytes() const = 0;
  virtual MemoryKind kind() const = 0;
  /// The host address, or nullptr where the host cannot address it.
  virtual std::byte* host_data() = 0;
  /// What pages back it ("huge_pages", "base_pages", ""): asked for is not always given.
  virtual std::string paging() const { return {}; }
};

/// An in-order queue of work.
class Stream {
 public:
  virtual ~Stream() = default;
};

/// A point in a stream with a time on the device's clock.
class Event {
 public:
  virtual ~Event() = default;
};

/// Whether an operation can run, and how.
struct Support {
  bool ok = false;
  bool emulated = false;  ///< right numbers, but not the hardware's speed for the format
  core::Message reason;   ///< when not ok: why; when emulated: how
};

/// One way to do an operation: a library's kernel, an instruction set, a tuned configuration.
struct Variant {
  std::string name;                  ///< "openblas"; part of device ids ("cpu:openblas")
  std::string library;               ///< "OpenBLAS 0.3.21"
  std::string file;                  ///< resolved path of the shared object; "" if built in
  std::string kernel;                ///< "Haswell", "avx512_core"; "" unknown
  int threads = 0;                   ///< it was told to use; 0 where the notion does not apply
  std::string pinning;               ///< CPUs its threads are pinned to, "0,1"; "" = not pinned
  std::vector<core::Message> notes;  ///< e.g. a kernel far below what the CPU offers, with the remedy
};

struct Info {
  std::string id;           ///< "cpu", "opencl:0"
  std::string name;         ///< "AMD EPYC 7763", "NVIDIA H200"
  std::string backend;      ///< "cpu"
  std::string fingerprint;  ///< what hardware this really is; equal for two ids of one device
  std::string driver;       ///< driver and library versions
  bool is_host = false;     ///< computes on the host's CPU (cpu, reference, PoCL)
  /// Work is queued to it, events carry its own clock, and data reach it by copies: read on that clock, and
  /// with its copies beside it. An accelerator, or what behaves as one (PoCL: queued, though it is the host).
  bool queued = false;
  bool modelled = false;  ///< numbers come from a model, not a measurement
  int compute_units = 0;
  std::int64_t memory_bytes = 0;
  std::string datasheet;  ///< key in data/devices.json, or "" if the device is not in it
  /// Every Gemm::variant this build knows of for the device, installed here or not, known without
  /// opening it: what "cpu:NAME" may ask for. Empty: not known before it is open.
  std::vector<std::string> variant_names;
  std::vector<core::Message> notes;
};

/// A reading of the device's state; what cannot be read is absent.
struct Telemetry {
  std::optional<double> clock_mhz, memory_clock_mhz, power_watts, temperature_c;
  std::vector<std::string> throttle_reasons;
  std::string link;  ///< "PCIe 5.0 x16"
};

enum class Activity { launch, copy, synchronise };
/// Receives every launch, copy and synchronisation of a device with its correlation id.
class Recorder {
 public:
  virtual ~Recorder() = default;
  /// Host side: the call as the program made it; host clock ns.
  virtual void host_call(Activity activity,
                         const std::string& name,
                         std::int64_t correlation,
                         std::int64_t start_ns,
                         std::int64_t end_ns) = 0;
  /// Device side: the work itself; device clock ns.
  virtual void device_work(Activity activity,
                           const std::string& name,
                           std::int64_t correlation,
                           std::int64_t start_ns,
                           std::int64_t end_ns) = 0;
};

struct CopyRange {
  Buffer* dst = nullptr;
  std::size_t dst_offset_bytes = 0;
  Buffer* src = nullptr;
  std::size_t src_offset_bytes = 0;
  std::size_t size_bytes = 0;
};

/// The time of a modelled device, which passes only by its own work and by waiting.
class VirtualTime {
 public:
  virtual ~VirtualTime() = default;
  virtual std::int64_t now_ns() const = 0;
  virtual void advance_ns(std::int64_t duration_ns) = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const Info& info() const = 0;
  /// The host's clock as a modelled device makes it pass; nullptr for real devices. Owned by the device.
  virtual VirtualTime* virtual_time() { return nullptr; }

  /// Looks at types, layout and variant, not at pointers: views may have a null buffer.
  virtual Support supports(const Operation& operation) const = 0;
  /// The ways this device offers for an operation of this kind, best guess first; may be empty
  /// (one way only). Names are what Gemm::variant and FmaPeak::variant take.
  virtual std::vector<Variant> variants(const Operation& operation) const = 0;

  virtual core::Result<std::unique_ptr<Buffer>> allocate(std::size_t size_bytes, MemoryKind kind) = 0;
  virtual core::Result<std::unique_ptr<Stream>> create_stream() = 0;
  virtual core::Result<std::unique_ptr<Event>> create_event() = 0;

  /// Enqueue; may return before the work is done.
  virtual core::Status launch(Stream& stream, const Operation& operation) = 0;
  virtual core::Status copy(Stream& stream, const CopyRange& range) = 0;
  virtual core::Status record(Stream& stream, Event& event) = 0;
  virtual core::Status wait(Stream& stream, Event& event) = 0;
  /// Blocks until all work of the stream is done; reports errors of that work.
  virtual core::Status synchronise(Stream& stream) = 0;
  /// Device time between two completed events.
  virtual core::Result<double> elapsed_ns(const Event& start, const Event& stop) = 0;

  /// Bytes this process has allocated on the device.
  virtual std::int64_t memory_in_use_bytes() const = 0;
  virtual Telemetry telemetry() = 0;
  /// nullptr stops recording. Not owned.
  virtual void set_recorder(Recorder* recorder) = 0;
  /// What to add to the times of Recorder::device_work to have them on the clock of Recorder::host_call: 0
  /// where both are one clock, else measured by set_recorder() (a marker between two readings of the host's
  /// clock, exact to half their distance; drift since then is not known). nullopt: it could not be measured.
  virtual std::optional<std::int64_t> host_minus_device_ns() const { return 0; }
};

/// FLOPs by convention: 2 m n k per batch, whatever the algorithm does.
double gemm_flops(const Gemm& gemm);
/// Compulsory bytes of a GEMM: A, B read once, C written once (and read when beta != 0).
double gemm_bytes(const Gemm& gemm);

}  // namespace jissoku::device
