#include "jissoku/experiments/profile/profile.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "jissoku/document/derive.hpp"
#include "jissoku/experiments/matmul/rows.hpp"
#include "jissoku/experiments/profile/network.hpp"
#include "jissoku/measure/virtual_clock.hpp"
#include "jissoku/timeline/export.hpp"

namespace jissoku::experiments::profile {
namespace {

using core::message;
using document::Row;
using document::RowStatus;

std::string again(const Params& params, const std::string& device) {
  const Workload& work = params.workload;
  std::string line = "jissoku profile " + std::string(to_string(work.network)) + " --batch " +
                     std::to_string(work.batch) + " --in " + std::to_string(work.in);
  line += work.network == Network::mlp ? " --hidden " + std::to_string(work.hidden) : "";
  line += " --out " + std::to_string(work.out) + " --device " + device;
  line += params.threads != 0 ? " --threads " + std::to_string(params.threads) : "";
  return line + " --seed " + std::to_string(params.seed);
}

/// m n k are batch, out and in.
Row describe_row(const Params& params, const std::string& device, int threads, bool recorded) {
  const Workload& work = params.workload;
  Row row;
  row.experiment = "profile";
  row.device = device;
  row.parameters = {{"m", work.batch},
                    {"n", work.out},
                    {"k", work.in},
                    {"input", std::string("f32")},
                    {"accumulator", std::string("f32")},
                    {"output", std::string("f32")},
                    {"data", std::string("normal")},
                    {"seed", params.seed},
                    {"cache", std::string("hot")},
                    {"workload", std::string(to_string(work.network))}};
  if (work.network == Network::mlp) {
    row.parameters.push_back({"hidden", work.hidden});
  }
  if (threads > 0) {
    row.parameters.push_back({"threads", std::int64_t{threads}});
  }
  if (recorded) {
    row.parameters.push_back({"recorded", std::string("yes")});
  }
  row.flops = step_flops(work);
  row.again = again(params, device);
  row.id = document::row_id(row);
  return row;
}

/// Steps one after the other, each waited for as the program does; recorded or not. Read on the host's clock:
/// a step is what the program waits for.
class Steps final : public measure::Subject {
 public:
  Steps(Session& session, const std::vector<Action>& step, measure::Clock& clock, Recording* recording)
      : session_(session), step_(step), clock_(clock), recording_(recording) {}

  core::Result<measure::BatchTiming> run(std::int64_t launches) override {
    if (recording_ != nullptr) {
      recording_->clear();
      session_.device->set_recorder(recording_);
    }
    const std::int64_t start_ns = clock_.now_ns();
    core::Status done;
    for (std::int64_t i = 0; i < launches && done; ++i) {
      done = run_step(session_, step_, recording_);
    }
    const std::int64_t end_ns = clock_.now_ns();
    session_.device->set_recorder(nullptr);
    if (!done) {
      return done.error();
    }
    measure::BatchTiming timing;
    timing.host_ns = static_cast<double>(end_ns - start_ns);
    return timing;
  }

 private:
  Session& session_;
  const std::vector<Action>& step_;
  measure::Clock& clock_;
  Recording* recording_;
};

/// One device: its session, its clock, its two rows.
class Bench {
 public:
  Bench(const Context& context, const Params& params, const device::Selection& selection)
      : context_(context), params_(params), selection_(selection) {}

  core::Status run(std::int64_t budget_ns) {
    device::OpenOptions options;
    options.threads = params_.threads > 0 ? params_.threads : context_.machine->usable_threads;
    auto session = open_session(*context_.registry, selection_.id, options);
    if (!session) {
      return session.error();  // a device asked for by name is not there
    }
    session_ = std::move(*session);
    const device::Info& info = session_.info();
    const std::string label = selection_.id + (selection_.variant.empty() ? "" : ":" + selection_.variant);
    const int threads = info.queued ? 0 : options.threads;
    plain_ = describe_row(params_, label, threads, false);
    recorded_ = describe_row(params_, label, threads, true);
    recorded_.baseline = plain_.id;
    const bool wanted = !params_.selected || params_.selected(plain_.id) || params_.selected(recorded_.id);
    if (!wanted || context_.sink->has_row(recorded_.id)) {
      return {};
    }
    auto done = measure(budget_ns, options.threads);
    if (!done && done.error().exit_code == core::ExitCode::unavailable && !selection_.variant.empty()) {
      return done;
    }
    if (!done) {
      for (Row* row : {&plain_, &recorded_}) {
        row->status = row->status == RowStatus::wrong ? row->status : RowStatus::error;
        row->reason = done.error().message;
      }
    }
    context_.sink->row(std::move(plain_));
    context_.sink->row(std::move(recorded_));
    return {};
  }

 private:
  /// Why the device cannot run the network; empty if it can.
  core::Message obstacle(const std::string& variant) const {
    for (device::Gemm gemm : describe_layers(params_.workload)) {
      gemm.variant = variant;
      device::BiasActivation activation;
      activation.in = activation.out = gemm.c;
      activation.bias = gemm.c;
      activation.bias.rows = 1;
      for (const device::Operation& operation : {device::Operation(gemm), device::Operation(activation)}) {
        if (const device::Support support = session_.device->supports(operation); !support.ok) {
          return support.reason;
        }
      }
    }
    return {};
  }

  /// The variant asked for, or the device's first guess for the largest product.
  device::Variant variant() const {
    const device::Gemm gemm = describe_layers(params_.workload).front();
    const std::vector<device::Variant> ways = ways_of(*session_.device, gemm);
    for (const device::Variant& way : ways) {
      if (way.name == selection_.variant) {
        return way;
      }
    }
    device::Variant named = ways.front();
    named.name = selection_.variant.empty() ? named.name : selection_.variant;
    return named;
  }

  core::Status measure(std::int64_t budget_ns, int threads) {
    const device::Variant way = variant();
    if (core::Message reason = obstacle(way.name); !reason.empty()) {
      if (!selection_.variant.empty()) {  // asked for by name: another one would be another answer
        return core::make_error(
            core::ExitCode::unavailable,
            "matmul.variant_unavailable",
            {{"device", plain_.device}, {"reasons", std::vector<core::Message>{std::move(reason)}}});
      }
      for (Row* row : {&plain_, &recorded_}) {
        row->status = RowStatus::unsupported;
        row->reason = reason;
      }
      return {};
    }
    std::optional<jissoku::measure::VirtualClock> virtual_clock;
    if (device::VirtualTime* time = session_.device->virtual_time()) {
      virtual_clock.emplace(*time);
    }
    clock_ = virtual_clock ? &*virtual_clock : context_.clock;
    auto built = Built::make(session_, params_.workload, way.name, static_cast<std::uint64_t>(params_.seed));
    if (!built) {
      return built.error();
    }
    auto proof = built->verify(threads);
    if (!proof) {
      return proof.error();
    }
    for (Row* row : {&plain_, &recorded_}) {
      row->verification = *proof;
      row->implementation = matmul::implementation_of(way, "");
      row->run_to_run = matmul::run_to_run(session_.info(), *context_.machine);
    }
    if (!proof->passed) {
      return wrong(proof->finding);
    }
    sample(*built, budget_ns);
    if (auto recorded = record(*built); !recorded) {
      return recorded;
    }
    auto after = built->verify(threads);
    if (!after) {
      return after.error();
    }
    plain_.timed_verification = recorded_.timed_verification = *after;
    return after->passed ? core::Status() : wrong(after->finding);
  }

  core::Status wrong(const core::Message& finding) {
    for (Row* row : {&plain_, &recorded_}) {
      row->status = RowStatus::wrong;
      row->reason = finding;
    }
    return {};
  }

  void sample(const Built& built, std::int64_t budget_ns) {
    constexpr std::int64_t kAlone = 5'000'000;
    constexpr std::int64_t kShared = 30'000'000;  // virtual CPUs share their cores with strangers
    const bool modelled = session_.info().modelled;
    measure::SamplerOptions options;
    options.min_sample_ns = !modelled && !context_.machine->virtualisation.empty() ? kShared : kAlone;
    options.budget_ns = budget_ns;
    options.drop_ratio = 0;
    measure::SamplerContext sampler;
    sampler.clock = clock_;
    sampler.stop = context_.stop;
    sampler.on_progress = [&](const measure::Progress& at) {
      if (context_.on_progress) {
        const double share = at.budget_ns > 0 ? at.elapsed_ns / at.budget_ns : 0;
        context_.on_progress({message("profile.progress",
                                      {{"workload", std::string(to_string(params_.workload.network))},
                                       {"device", plain_.device},
                                       {"round", std::int64_t{at.round}}}),
                              share,
                              std::max(0.0, at.budget_ns - at.elapsed_ns)});
      }
    };
    Recording recording(*clock_);
    Steps plain(session_, built.step(), *clock_, nullptr);
    Steps recorded(session_, built.step(), *clock_, &recording);
    const std::vector<measure::Measurement> measured =
        measure::measure_subjects({&plain, &recorded}, options, sampler);
    matmul::add_measurement(plain_, measured[0], 0);
    matmul::add_measurement(recorded_, measured[1], 0);
    matmul::add_telemetry(plain_, session_.device->telemetry());
  }

  /// The steps of the table and the trace, after the timing, when everything is warm.
  core::Status record(const Built& built) {
    constexpr int kWarmSteps = 3;
    Recording recording(*clock_);
    std::deque<Range> names;
    for (int i = 0; i < kWarmSteps; ++i) {
      if (auto done = run_step(session_, built.step(), nullptr); !done) {
        return done;
      }
    }
    session_.device->set_recorder(&recording);
    core::Status done;
    for (int i = 0; i < params_.steps && done; ++i) {
      names.push_back({"ProfilerStep#" + std::to_string(i), true, "", ""});
      recording.enter(names.back());
      done = run_step(session_, built.step(), &recording);
      if (done) {
        recording.leave();
      }
    }
    const std::optional<std::int64_t> measured_ns = session_.device->host_minus_device_ns();
    session_.device->set_recorder(nullptr);
    if (!done) {
      return done;
    }
    const ClockFit clocks = fit_clocks(recording, measured_ns);
    document::Attachment trace;
    trace.id = plain_.id;
    trace.kind = "timeline";
    trace.media_type = "application/json";
    timeline::export_chrome(to_timeline(recording, clocks, session_.info()),
                            [&trace](std::string_view piece) {
                              trace.content += piece;
                              return true;
                            });
    trace.parameters = params_.presentation;
    trace.parameters.insert(trace.parameters.end(),
                            {{"queued", session_.info().queued},
                             {"steps", std::int64_t{params_.steps}},
                             {"events", static_cast<std::int64_t>(recording.events())},
                             {"clock_offset_ns", clocks.offset_ns},
                             {"clock_uncertainty_ns", clocks.uncertainty_ns},
                             {"clock_contradiction_ns", clocks.contradiction_ns}});
    context_.sink->attachment(std::move(trace));
    return {};
  }

  const Context& context_;
  const Params& params_;
  const device::Selection& selection_;
  Session session_;
  jissoku::measure::Clock* clock_ = nullptr;
  Row plain_, recorded_;
};

}  // namespace

core::Status run(const Context& context, const Params& params) {
  const std::int64_t bytes = tensor_bytes(params.workload);
  if (bytes > context.machine->memory_available_bytes) {
    return core::make_error(core::ExitCode::usage,
                            "profile.too_large",
                            {{"needed", static_cast<double>(bytes)},
                             {"available", static_cast<double>(context.machine->memory_available_bytes)}});
  }
  const auto count = static_cast<std::int64_t>(params.devices.size());
  for (const device::Selection& selection : params.devices) {
    if (context.stop != nullptr && context.stop->requested()) {
      break;
    }
    if (auto done = Bench(context, params, selection).run(params.budget_ns / count); !done) {
      return done;
    }
  }
  return {};
}

}  // namespace jissoku::experiments::profile
