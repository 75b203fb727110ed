// The run document, version 1.0: everything a run found, as plain structs of primitives with units
// in the names. Rates are not stored: document/derive.hpp computes them, in one place. Sentences
// are message ids with arguments. Text, CSV, Markdown, HTML and compare read only this.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jissoku/core/machine.hpp"
#include "jissoku/core/message.hpp"
#include "jissoku/numerics/verification.hpp"

namespace jissoku::document {

inline constexpr int kSchemaMajor = 1;
inline constexpr int kSchemaMinor = 0;

enum class RowStatus { converged, noisy, ceiling, throttled, unsupported, wrong, error, skipped };
/// "converged"; the word in documents and tables.
std::string_view to_string(RowStatus status);
std::optional<RowStatus> parse_row_status(std::string_view text);

/// One round's sample; see measure::Sample.
struct Sample {
  std::int64_t launches = 0;
  double host_ns = 0;
  std::optional<double> device_ns;
  double cpu_ns = 0;
  double foreign_cpu_share = 0;
  double steal_share = 0;
  double probe_ns = 0;
};

/// A ceiling that a row's rate is read against.
struct Ceiling {
  std::string kind;        ///< "measured_fma", "measured_memory", "datasheet"
  double per_second = 0;   ///< FLOP/s or bytes/s
  std::string detail;      ///< "avx2, 2 threads"; for a datasheet its clock and source
  std::string provenance;  ///< "measured" or "datasheet" or "modelled"
};

/// What the row ran through; what cannot be known is empty.
struct Implementation {
  std::string variant;  ///< "openblas"
  std::string library;  ///< "OpenBLAS 0.3.21"
  std::string file;     ///< resolved path
  std::string kernel;
  int threads = 0;
  std::string pinning;  ///< "0,1" or ""
  std::string paging;   ///< of the operands: "huge_pages", "base_pages"; with copies the host's: "pinned"
  bool chosen = false;  ///< picked by `auto` (on odd rounds, scored on even ones)
  std::vector<core::Message> notes;
};

struct Row {
  std::string id;          ///< canonical; see row_id
  std::string experiment;  ///< "matmul"
  std::string device;      ///< "cpu:openblas", "opencl:0"; for `auto` the bare device
  RowStatus status = RowStatus::error;
  core::Message reason;  ///< why it is not converged
  std::vector<core::Argument>
      parameters;  ///< m n k input accumulator output transposes data seed cache threads ...
  Implementation implementation;
  std::vector<Sample> samples;  ///< one per round, in time order
  std::string timing = "host";  ///< which clock the row is read on: "host" or "device"
  double flops = 0, bytes = 0;  ///< per launch
  double probe_flops = 0;       ///< of one probe run, to turn probe_ns into a rate
  std::vector<Ceiling> ceilings;
  std::string baseline;                       ///< id of the row a speed-up is printed against, or ""
  numerics::Verification verification;        ///< before timing, on operands that make the check strictest
  numerics::Verification timed_verification;  ///< after timing, on the operands that were timed
  std::vector<core::Argument> telemetry;
  double warmup_ns = 0;
  /// Relative half width that intervals of time, rate and share hold for what changes from one run to the
  /// next (memory placement, neighbours) and cannot be seen within one. Not in speed-ups, where it cancels.
  double run_to_run = 0;
  std::string again;  ///< the command line that reproduces this row alone
};

/// A fitted model (transfer: latency and bandwidth; break-even).
struct Fit {
  std::string id, model, device;
  struct Parameter {
    std::string name, unit;
    double value = 0, low = 0, high = 0;
  };
  std::vector<Parameter> parameters;
  std::vector<std::string> rows;  ///< ids of the rows it rests on
};

/// A curve (loss, scale, utilisation).
struct Series {
  std::string id, device, x_name, y_name, x_unit, y_unit;
  std::vector<double> x, y;
};

/// A file or table that belongs to the run.
struct Attachment {
  std::string id, kind, media_type;  ///< kind: "timeline", "table"
  std::string path;                  ///< relative to the document; or content inline
  std::string content;
  std::vector<core::Argument> parameters = {};  ///< what belongs to it: how it was taken, how to show it
};

/// A conclusion in words, with the numbers it rests on.
struct Finding {
  std::string id;                 ///< "verdict_cpu", "slow_kernel"
  std::string severity = "info";  ///< "info", "advice", "warning", "failure"
  core::Message message;
  std::vector<std::string> rows;
};

struct DeviceRecord {
  std::string id, name, backend, fingerprint, driver;
  bool is_host = false, modelled = false;
  int compute_units = 0;
  std::int64_t memory_bytes = 0;
  std::vector<core::Message> notes;
};

struct PlannedCase {
  std::string id;
  bool run = false;
  double predicted_ns = 0;
  core::Message reason;
};

/// What is known when a run starts.
struct Header {
  std::string tool_version;
  std::string command;  ///< as typed, minus output options
  std::vector<std::string> arguments;
  std::int64_t seed = 0;
  std::string started_at;  ///< UTC, ISO 8601
  core::Machine machine;
  std::vector<DeviceRecord> devices;
  std::vector<core::Message> unavailable;  ///< backends without devices, with reasons
};

struct Document {
  int schema_major = kSchemaMajor, schema_minor = kSchemaMinor;
  Header header;
  double noise_floor = 0;  ///< relative; 0 = not measured
  std::vector<PlannedCase> plan;
  std::vector<Row> rows;
  std::vector<Fit> fits;
  std::vector<Series> series;
  std::vector<Attachment> attachments;
  std::vector<Finding> findings;
  bool complete = false;  ///< false: journal of a run that was cut short
  std::string finished_at;
};

/// Canonical id: experiment/device/types/shape/transposes/data/cache/threads[/options], for example
/// "matmul/cpu:openblas/f32/4096x4096x4096/nn/normal/hot/2t". The engine chosen by `auto` is a field, not
/// part of it. Parts without a parameter are left out, and so is what has its usual value: types are one
/// name where input, accumulator and output agree (else "bf16-f32-bf16"), alpha = 1, beta = 0, seed = 42.
/// All other parameters follow as options "name=value" in their order. Usable with --filter.
std::string row_id(const Row& row);

/// The parameter of that name as text or number; nullopt when absent.
std::optional<core::Value> parameter(const Row& row, std::string_view name);

}  // namespace jissoku::document
