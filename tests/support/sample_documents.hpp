// Run documents made by hand, for tests of what reads documents. Times are fixed numbers with a fixed
// jitter, so that every text made from them is known.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "jissoku/document/model.hpp"

namespace jissoku::tests {

using core::message;
using document::Document;
using document::Row;
using document::RowStatus;

inline constexpr int kSampleRounds = 12;

/// Texts of the messages that these documents hold.
inline std::string sample_messages() {
  return R"({
    "sample.verdict": "Your CPU delivers {rate:rate} in FP32, {share:percent} of what its arithmetic units can do.",
    "sample.verdict_gpu": "cuda:0 does it {ratio:ratio} as fast as the best CPU engine, copies not counted.",
    "sample.advice": "OPENBLAS_CORETYPE=SkylakeX makes OpenBLAS use AVX-512 here.",
    "sample.warning": "The clock of this machine is not the TSC.",
    "sample.failure": "cpu:blis computed a wrong result: element (12, 40) is 3.5 and must be 3.25.",
    "sample.noisy": "after {rounds} rounds the interval is still wide; other programs used {foreign:percent} of the CPUs",
    "sample.budget": "the budget ended after {rounds} rounds; --budget gives it more",
    "sample.throttled": "the clock fell from 1,980 to 1,200 MHz at 87 degrees",
    "sample.missing": "libmkl_rt.so was found nowhere; install intel-mkl or set MKLROOT",
    "sample.wrong": "element (12, 40) is 3.5 and must be 3.25",
    "sample.memory": "34.4 GB of memory were asked for and 12.1 GB are free; use smaller matrices",
    "sample.dropped": "one launch took 4.1 s, 4.2x the time of the best; left out of the rounds",
    "sample.coretype": "uses the kernel Haswell on a CPU with AVX-512; OPENBLAS_CORETYPE=SkylakeX changes that",
    "sample.idle": "kept 1.2 of 2 threads busy on this product",
    "sample.no_cuda": "cuda: no NVIDIA driver is loaded; install one",
    "sample.no_opencl": "opencl: this build has no OpenCL backend",
    "sample.quota": "a control group limits this process to 2 CPUs' worth of time",
    "sample.too_large": "needs 34.4 GB of memory, and 12.1 GB are free",
    "sample.pipe": "a | b, `c` and *d* <e> \u001b[31mred"
  })";
}

/// Times around `time_ns` that vary by about `jitter` of it; the same for the same `phase`.
inline std::vector<document::Sample> sample_rounds(double time_ns, double jitter, std::size_t phase) {
  constexpr std::array<double, 12> kPattern = {
      0.3, -0.8, 0.1, 0.9, -0.4, -0.2, 0.6, -1.0, 0.0, 0.5, -0.6, 0.8};
  std::vector<document::Sample> samples;
  for (std::size_t round = 0; round < kSampleRounds; ++round) {
    document::Sample sample;
    sample.launches = 1;
    sample.host_ns = time_ns * (1 + jitter * kPattern[(round + phase) % kPattern.size()]);
    sample.cpu_ns = 1.97 * sample.host_ns;
    sample.foreign_cpu_share = 0.03;
    samples.push_back(sample);
  }
  return samples;
}

struct SampleProduct {
  std::int64_t m = 4096, n = 4096, k = 4096;
  std::string input = "f32", accumulator = "f32", output = "f32";
  std::string transpose = "nn", data = "normal";
  double alpha = 1, beta = 0;
};

inline Row sample_row(const SampleProduct& product, const std::string& device, const std::string& variant) {
  Row row;
  row.experiment = "matmul";
  row.device = device;
  row.status = RowStatus::converged;
  row.parameters = {{"m", product.m},
                    {"n", product.n},
                    {"k", product.k},
                    {"input", product.input},
                    {"accumulator", product.accumulator},
                    {"output", product.output},
                    {"transpose", product.transpose},
                    {"alpha", product.alpha},
                    {"beta", product.beta},
                    {"data", product.data},
                    {"seed", std::int64_t{42}},
                    {"cache", std::string("hot")}};
  row.implementation.variant = variant;
  const auto m = static_cast<double>(product.m);
  const auto n = static_cast<double>(product.n);
  const auto k = static_cast<double>(product.k);
  row.flops = 2 * m * n * k;
  row.bytes = 4 * (m * k + k * n + m * n);
  row.again = "jissoku matmul --n 4096 --device " + device;
  row.id = document::row_id(row);
  return row;
}

inline void prove(Row& row, const std::string& method) {
  numerics::Verification& proof = row.verification;
  proof.done = proof.passed = proof.self_test = true;
  proof.method = method;
  proof.elements = 16'777'216;
  proof.elements_compared = 1000;
  proof.detection_limit = method.rfind("exact", 0) == 0 ? 1 : 3.14e-5;
  proof.typical_value = 64;
}

/// Id of the row that `auto` chose on the CPU with two threads.
inline std::string sample_baseline(const SampleProduct& product) {
  Row row = sample_row(product, "cpu", "");
  row.parameters.push_back({"threads", std::int64_t{2}});
  return document::row_id(row);
}

/// A verified engine of the CPU with a measured peak of 179 GFLOPS.
inline Row cpu_row(const SampleProduct& product,
                   const std::string& variant,
                   const std::string& library,
                   double time_ns,
                   double jitter = 0.01) {
  Row row = sample_row(product, "cpu:" + variant, variant);
  row.implementation.library = library;
  row.implementation.threads = 2;
  row.parameters.push_back({"threads", std::int64_t{2}});
  row.id = document::row_id(row);
  row.samples = sample_rounds(time_ns, jitter, variant.size());
  row.ceilings = {{"measured_fma", 179e9, "avx2", "measured"},
                  {"measured_memory", 17.9e9, "triad, 805 MB", "measured"}};
  row.baseline = sample_baseline(product);
  prove(row, "bounded_freivalds");
  return row;
}

/// The row of `auto`: `of` under the bare device.
inline Row chosen_row(const Row& of) {
  Row row = of;
  row.device = "cpu";
  row.id = document::row_id(row);
  row.baseline = row.id;
  row.implementation.chosen = true;
  return row;
}

inline document::Header sample_header(const std::string& command) {
  document::Header header;
  header.tool_version = "0.1.0";
  header.command = command;
  header.seed = 42;
  header.started_at = "2026-01-31T12:00:00Z";
  core::Machine& machine = header.machine;
  machine.cpu_model = "AMD EPYC 7763 64-Core Processor";
  machine.architecture = "x86_64";
  machine.isa = {"sse2", "avx", "fma", "avx2"};
  machine.packages = machine.numa_nodes = 1;
  machine.cores = machine.hardware_threads = machine.usable_threads = 2;
  constexpr std::int64_t kKib = 1024;
  machine.caches = {{1, 32 * kKib, 1}, {2, 512 * kKib, 1}, {3, 32 * 1024 * kKib, 2}};
  machine.memory_bytes = 16'400'000'000;
  machine.memory_available_bytes = 12'100'000'000;
  machine.os = "Debian GNU/Linux 12 (bookworm)";
  machine.kernel = "6.1.0";
  machine.virtualisation = "kvm";
  document::DeviceRecord cpu;
  cpu.id = cpu.backend = "cpu";
  cpu.name = machine.cpu_model;
  cpu.is_host = true;
  header.devices = {cpu};
  header.unavailable = {message("sample.no_cuda"), message("sample.no_opencl")};
  return header;
}

inline std::vector<Row> cpu_rows(const SampleProduct& product, double scale = 1) {
  Row openblas = cpu_row(product, "openblas", "OpenBLAS 0.3.21", 970e6 * scale);
  openblas.implementation.kernel = "Haswell";
  openblas.implementation.notes = {message("sample.coretype")};
  Row blis = cpu_row(product, "blis", "BLIS 0.9.0", 1041e6 * scale, 0.015);
  blis.implementation.kernel = "zen3";
  const Row onednn = cpu_row(product, "onednn", "oneDNN 2.6.3", 964e6 * scale);
  return {openblas, blis, onednn, chosen_row(onednn)};
}

inline Document matmul_document() {
  Document document;
  document.header = sample_header("jissoku matmul --n 4096");
  document.rows = cpu_rows({});
  document.noise_floor = 0.011;
  document.findings = {
      {"advice_coretype", "advice", message("sample.advice"), {}},
      {"verdict_cpu", "info", message("sample.verdict", {{"rate", 142.6e9}, {"share", 0.794}}), {}}};
  document.complete = true;
  document.finished_at = "2026-01-31T12:01:00Z";
  return document;
}

/// One row of every status, and numbers that must not be shown.
inline Document statuses_document() {
  Document document = matmul_document();
  document.header.command = "jissoku matmul --n 4096 --budget 10";
  const SampleProduct product;
  Row noisy = cpu_row(product, "shaky", "Shaky 1.0", 1100e6, 0.2);
  noisy.status = RowStatus::noisy;
  noisy.reason = message("sample.noisy", {{"rounds", std::int64_t{kSampleRounds}}, {"foreign", 0.21}});
  Row ceiling = cpu_row(product, "slow", "Slow 2", 1800e6, 0.05);
  ceiling.status = RowStatus::ceiling;
  ceiling.reason = message("sample.budget", {{"rounds", std::int64_t{kSampleRounds}}});
  Row throttled = cpu_row(product, "hot", "Hot 3", 1300e6, 0.04);
  throttled.status = RowStatus::throttled;
  throttled.reason = message("sample.throttled");
  Row mkl = sample_row(product, "cpu:mkl", "mkl");
  mkl.status = RowStatus::unsupported;
  mkl.reason = message("sample.missing");
  Row wrong = cpu_row(product, "liar", "Liar 9", 1e6);
  wrong.status = RowStatus::wrong;
  wrong.verification.passed = false;
  wrong.verification.finding = message("sample.wrong");
  Row failed = sample_row(product, "cpu:huge", "huge");
  failed.status = RowStatus::error;
  failed.reason = message("sample.memory");
  Row skipped = sample_row(product, "cpu:own", "own");
  skipped.status = RowStatus::skipped;
  skipped.reason = message("sample.dropped");
  Row few = cpu_row(product, "few", "Few 1", 990e6);
  few.samples.resize(3);
  Row unproved = cpu_row(product, "bold", "Bold 1", 500e6);
  unproved.verification = {};
  for (const Row& row : {noisy, ceiling, throttled, mkl, wrong, failed, skipped, few, unproved}) {
    document.rows.push_back(row);
  }
  document.findings = {{"wrong_result", "failure", message("sample.failure"), {}},
                       {"clock", "warning", message("sample.warning"), {}}};
  return document;
}

inline Row engine_row(const std::string& device,
                      const std::string& variant,
                      const std::string& library,
                      const std::string& kernel,
                      const std::string& file) {
  Row row;
  row.experiment = "devices";
  row.device = device;
  row.status = RowStatus::converged;
  row.implementation.variant = variant;
  row.implementation.library = library;
  row.implementation.kernel = kernel;
  row.implementation.file = file;
  row.implementation.threads = 2;
  row.id = document::row_id(row);
  return row;
}

inline std::vector<Row> device_rows() {
  Row openblas = engine_row("cpu:openblas",
                            "openblas",
                            "OpenBLAS 0.3.21",
                            "Haswell",
                            "/usr/lib/x86_64-linux-gnu/openblas-openmp/libopenblasp-r0.3.21.so");
  openblas.implementation.notes = {message("sample.coretype")};
  Row mkl = engine_row("cpu:mkl", "mkl", "", "", "");
  mkl.status = RowStatus::unsupported;
  mkl.reason = message("sample.missing");
  return {openblas,
          engine_row(
              "cpu:blis", "blis", "BLIS 0.9.0", "zen3", "/usr/lib/x86_64-linux-gnu/blis-openmp/libblis.so.4"),
          engine_row("cpu:onednn", "onednn", "oneDNN 2.6.3", "", "/usr/lib/x86_64-linux-gnu/libdnnl.so.2.6"),
          engine_row("cpu:own", "own", "jissoku 0.1.0", "avx2", ""),
          mkl};
}

inline Document devices_document() {
  Document document;
  document.header = sample_header("jissoku devices");
  document.header.machine.notes = {message("sample.quota")};
  document::DeviceRecord gpu;
  gpu.id = "cuda:0";
  gpu.backend = "cuda";
  gpu.name = "NVIDIA H200";
  gpu.driver = "driver 580.65, CUDA 13.0";
  gpu.memory_bytes = 150'000'000'000;
  document.header.devices.push_back(gpu);
  document.header.unavailable = {message("sample.no_opencl")};
  document.rows = device_rows();
  Row cublas = engine_row("cuda:0", "", "cuBLASLt 13.0", "", "/usr/local/cuda/lib64/libcublasLt.so.13");
  cublas.implementation.threads = 0;
  document.rows.push_back(cublas);
  document.complete = true;
  return document;
}

/// `jissoku run`: the devices, then three products.
inline Document run_document() {
  Document document = matmul_document();
  document.header.command = "jissoku run";
  document.rows = device_rows();
  for (Row row : cpu_rows({1024, 1024, 1024}, 1.0 / 64)) {
    document.rows.push_back(std::move(row));
  }
  for (Row row : cpu_rows({})) {
    document.rows.push_back(std::move(row));
  }
  for (Row row : cpu_rows({1024, 1024, 1024, "f64", "f64", "f64"}, 2.0 / 64)) {
    document.rows.push_back(std::move(row));
  }
  return document;
}

inline Row gpu_row(const SampleProduct& product, double time_ns) {
  Row row = sample_row(product, "cuda:0", "");
  row.implementation.library = "cuBLASLt 13.0";
  row.samples = sample_rounds(time_ns * 1.04, 0.004, 3);
  for (document::Sample& sample : row.samples) {
    sample.device_ns = sample.host_ns / 1.04;
  }
  row.timing = "device";
  row.ceilings = {{"measured_fma", 54.3e12, "FP32 cores", "measured"},
                  {"datasheet", 67e12, "H200 SXM, f32, 1980 MHz, vendor's datasheet", "datasheet"}};
  row.baseline = sample_baseline(product);
  prove(row, "bounded_freivalds");
  return row;
}

/// The CPU beside an accelerator that keeps its own time.
inline Document accelerator_document() {
  Document document = matmul_document();
  document.header = sample_header("jissoku matmul --n 4096 --device cpu,cuda:0");
  document::DeviceRecord gpu;
  gpu.id = "cuda:0";
  gpu.backend = "cuda";
  gpu.name = "NVIDIA H200";
  document.header.devices.push_back(gpu);
  document.rows.push_back(gpu_row({}, 2.71e6));
  Row copied = gpu_row({}, 9.4e6);
  copied.parameters.push_back({"copies", std::string("included")});
  copied.implementation.paging = "pinned";
  copied.ceilings.clear();
  copied.id = document::row_id(copied);
  document.rows.push_back(std::move(copied));
  document.findings = {
      {"verdict_accelerator", "info", message("sample.verdict_gpu", {{"ratio", 356.0}}), {}}};
  return document;
}

/// Measured rows and those of a model, which never share a table.
inline Document modelled_document() {
  Document document = matmul_document();
  document::DeviceRecord model;
  model.id = "model:t4";
  model.backend = "model";
  model.name = "NVIDIA T4";
  model.modelled = true;
  document.header.devices.push_back(model);
  Row row = gpu_row({}, 21e6);
  row.device = "model:t4";
  row.baseline.clear();
  row.ceilings = {{"measured_fma", 8.1e12, "8.1 TFLOPS at 1590 MHz", "modelled"}};
  row.id = document::row_id(row);
  document.rows.insert(document.rows.begin(), row);
  return document;
}

/// A run that was cut short, with cases that were left out.
inline Document incomplete_document() {
  Document document = matmul_document();
  document.header.command = "jissoku matmul --n 4096,65536";
  document.complete = false;
  document.finished_at.clear();
  document.findings.clear();
  document.rows.resize(2);
  document.plan = {{"matmul/f32/4096x4096x4096", true, 1e9, {}},
                   {"matmul/f32/65536x65536x65536", false, 4e12, message("sample.too_large")}};
  return document;
}

/// One row of A against a large B: memory is the limit. Integers, transposed, other formats, factors.
inline Document thin_document() {
  Document document = matmul_document();
  document.header.command = "jissoku matmul --shape 1x4096x4096 --transpose nt --data ints";
  document.findings.clear();
  SampleProduct product{1, 4096, 4096, "bf16", "f32", "f32", "nt", "ints", 0.5, 1};
  document.rows = cpu_rows(product, 4.2e-3);
  for (Row& row : document.rows) {
    prove(row, "exact_freivalds");
  }
  document.rows[1].implementation.threads = 1;
  document.rows[0].implementation.notes = {message("sample.idle")};
  return document;
}

/// A rate above what the hardware can do.
inline Document impossible_document() {
  Document document = matmul_document();
  document.findings.clear();
  for (Row& row : document.rows) {
    row.ceilings[0].per_second = 120e9;
    row.verification.self_test = row.device != "cpu:blis";
  }
  return document;
}

/// Names that are long, wide, hostile, and numbers that are none.
inline Document hostile_document() {
  Document document = run_document();
  document.header.machine.cpu_model =
      "\u65e5\u672c\u88fd\u30d7\u30ed\u30bb\u30c3\u30b5\u00ae with a name that does not want to end \x1b[31m";
  document.header.command = "jissoku run --filter '" + std::string(150, 'x') + "'";
  Row odd = cpu_row({}, "odd|one", std::string(120, 'L'), 970e6);
  odd.implementation.kernel = "\u30ab\u30fc\u30cd\u30eb";
  odd.implementation.notes = {message("sample.pipe"), message("sample.unknown", {{"value", 1.5}})};
  Row no_number = cpu_row({}, "blank", "Blank 1", std::numeric_limits<double>::quiet_NaN());
  Row endless = cpu_row({}, "endless", "Endless 1", std::numeric_limits<double>::infinity());
  Row nothing = cpu_row({}, "zero", "Zero 1", 0);
  Row no_ceiling = cpu_row({}, "ceilingless", "C 1", 1e-3);
  no_ceiling.ceilings = {{"measured_fma", std::numeric_limits<double>::quiet_NaN(), "", ""},
                         {"measured_memory", std::numeric_limits<double>::infinity(), "", ""},
                         {"datasheet", 0, "", ""}};
  no_ceiling.verification.detection_limit = std::numeric_limits<double>::quiet_NaN();
  no_ceiling.verification.typical_value = std::numeric_limits<double>::infinity();
  no_ceiling.baseline = "no such row";
  Row bare;
  bare.experiment = "matmul";
  bare.status = RowStatus::wrong;
  Row unknown;
  unknown.experiment = "roofline";
  for (Row row : {odd, no_number, endless, nothing, no_ceiling, bare, unknown}) {
    document.rows.push_back(std::move(row));
  }
  document.noise_floor = std::numeric_limits<double>::quiet_NaN();
  document.findings.push_back({"odd", "unheard-of", message("sample.pipe"), {}});
  return document;
}

struct SampleDocument {
  std::string name;
  Document document;
};

inline std::vector<SampleDocument> sample_documents() {
  return {{"matmul", matmul_document()},
          {"statuses", statuses_document()},
          {"devices", devices_document()},
          {"run", run_document()},
          {"accelerator", accelerator_document()},
          {"modelled", modelled_document()},
          {"incomplete", incomplete_document()},
          {"thin", thin_document()},
          {"impossible", impossible_document()},
          {"hostile", hostile_document()},
          {"empty", Document{}}};
}

}  // namespace jissoku::tests
