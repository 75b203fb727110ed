#include "jissoku/cli/registration.hpp"

#include <string>

#include "jissoku/backends/cpu/backend.hpp"
#include "jissoku/backends/model/backend.hpp"
#include "jissoku/backends/reference/backend.hpp"
#include "jissoku/cli/commands/commands.hpp"
#include "jissoku/cli/plugin_backend.hpp"
#include "jissoku/experiments/datasheet.hpp"

namespace jissoku::cli {
namespace {

/// What computes the numbers of modelled devices: the CPU, or the reference where that cannot be opened.
core::Result<std::unique_ptr<device::Device>> open_for_models() {
  auto cpu = backends::cpu::make_backend().open("cpu", {});
  return cpu ? std::move(cpu) : backends::reference::make_backend().open("reference", {});
}

}  // namespace

device::Registry make_registry() {
  device::Registry registry;
  registry.add(backends::cpu::make_backend());
  registry.add(backends::reference::make_backend());
  registry.add(plugin_backend("opencl", "libOpenCL.so.1", plugin_folders(), library_folders()));
  registry.add(plugin_backend("cuda", "libcuda.so.1", plugin_folders(), library_folders()));
  registry.add(backends::model::make_backend(experiments::embedded_datasheet_text(), open_for_models));
  return registry;
}

namespace {

/// Those that measure something on this machine.
std::vector<Command> measuring_commands() {
  using enum FlagGroup;
  return {
      {.name = "run",
       .groups = {measure, output},
       .examples = {{"run", "jissoku run"}, {"run_budget", "jissoku run --budget 120 --out results"}},
       .default_budget = "60",
       .default_document = "out",
       .run = run_everything},
      {.name = "devices",
       .groups = {output},
       .own_flags = {"threads", "describe"},
       .examples = {{"devices", "jissoku devices"}, {"devices_json", "jissoku devices --json -"}},
       .run = run_devices},
      {.name = "matmul",
       .groups = {measure, output},
       .own_flags = {"n", "shape", "dtype", "data", "transpose", "alpha", "beta"},
       .examples = {{"matmul", "jissoku matmul --n 4096 --device cpu"},
                    {"matmul_engine", "jissoku matmul --n 4096 --device cpu:openblas,cpu:jissoku"},
                    {"matmul_devices", "jissoku matmul --n 2048 --device cpu,opencl:0,model:h100"},
                    {"matmul_shape", "jissoku matmul --shape 64x4096x4096 --transpose nt"},
                    {"matmul_data", "jissoku matmul --n 2048 --data normal,zeros"},
                    {"matmul_csv", "jissoku matmul --n 1024,2048,4096 --csv matmul.csv"}},
       .default_budget = "60",
       .run = run_matmul},
      {.name = "profile",
       .operand = "linear|mlp",
       .groups = {measure},
       .own_flags = {"batch",
                     "in",
                     "hidden",
                     "out_features",
                     "steps",
                     "group-by-shape",
                     "sort",
                     "limit",
                     "trace",
                     "json",
                     "csv",
                     "markdown"},
       .examples = {{"profile", "jissoku profile linear --device cpu --limit 5"},
                    {"profile_trace", "jissoku profile mlp --device cpu --trace mlp.json"}},
       .default_budget = "20",
       .run = run_profile},
  };
}

/// Those that read files, or say how to.
std::vector<Command> reading_commands() {
  using enum FlagGroup;
  return {

      {.name = "diagnose",
       .operand = "[FILE...]",
       .own_flags = {"json",
                     "step",
                     "gpu",
                     "window",
                     "table",
                     "group-by-shape",
                     "sort",
                     "limit",
                     "fail-on",
                     "compare",
                     "export",
                     "explain"},
       .examples = {{"diagnose", "jissoku diagnose trace.json.gz"},
                    {"diagnose_table", "jissoku diagnose trace.json --table operators --limit 10"},
                    {"diagnose_compare", "jissoku diagnose old.json.gz --compare new.json.gz"},
                    {"diagnose_fail", "jissoku diagnose trace.json.gz --fail-on 'idle>30'"}},
       .run = run_diagnose},
      {.name = "report",
       .operand = "RUN",
       .groups = {output},
       .own_flags = {"describe"},
       .examples = {{"report", "jissoku report out/run.json"},
                    {"report_markdown", "jissoku report out --markdown report.md"}},
       .run = run_report},
      {.name = "help",
       .operand = "[COMMAND]",
       .examples = {{"help", "jissoku help matmul"}},
       .run = run_help},
  };
}

}  // namespace

std::span<const Command> commands() {
  static const std::vector<Command> kCommands = [] {
    std::vector<Command> all = measuring_commands();
    const std::vector<Command> more = reading_commands();
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return kCommands;
}

}  // namespace jissoku::cli
