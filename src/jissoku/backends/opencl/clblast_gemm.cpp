#include "jissoku/backends/opencl/clblast_gemm.hpp"

#include <utility>

#include "jissoku/backends/opencl/errors.hpp"
#include "jissoku/core/shared_library.hpp"

namespace jissoku::backends::opencl {
namespace {

using device::Gemm;
using numerics::DataType;

CLBlastTranspose transpose(bool yes) {
  return yes ? CLBlastTransposeYes : CLBlastTransposeNo;
}

std::size_t size_of(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

/// CLBlast's function for one product, FP32 or FP64.
template <typename Real, typename Function>
CLBlastStatusCode multiply(
    Function function, OpenClStream& stream, const Gemm& gemm, const GemmMemory& memory, cl_event* event) {
  cl_command_queue queue = stream.queue();
  return function(CLBlastLayoutRowMajor,
                  transpose(gemm.transpose_a),
                  transpose(gemm.transpose_b),
                  size_of(gemm.c.rows),
                  size_of(gemm.c.columns),
                  size_of(gemm.transpose_a ? gemm.a.rows : gemm.a.columns),
                  static_cast<Real>(gemm.alpha),
                  memory.a,
                  size_of(gemm.a.offset_elements),
                  size_of(gemm.a.leading_dimension),
                  memory.b,
                  size_of(gemm.b.offset_elements),
                  size_of(gemm.b.leading_dimension),
                  static_cast<Real>(gemm.beta),
                  memory.c,
                  size_of(gemm.c.offset_elements),
                  size_of(gemm.c.leading_dimension),
                  &queue,
                  event);
}

/// The same for a batch of products.
template <typename Real, typename Function>
CLBlastStatusCode multiply_batch(
    Function function, OpenClStream& stream, const Gemm& gemm, const GemmMemory& memory, cl_event* event) {
  cl_command_queue queue = stream.queue();
  return function(CLBlastLayoutRowMajor,
                  transpose(gemm.transpose_a),
                  transpose(gemm.transpose_b),
                  size_of(gemm.c.rows),
                  size_of(gemm.c.columns),
                  size_of(gemm.transpose_a ? gemm.a.rows : gemm.a.columns),
                  static_cast<Real>(gemm.alpha),
                  memory.a,
                  size_of(gemm.a.offset_elements),
                  size_of(gemm.a.leading_dimension),
                  size_of(gemm.a.batch_stride),
                  memory.b,
                  size_of(gemm.b.offset_elements),
                  size_of(gemm.b.leading_dimension),
                  size_of(gemm.b.batch_stride),
                  static_cast<Real>(gemm.beta),
                  memory.c,
                  size_of(gemm.c.offset_elements),
                  size_of(gemm.c.leading_dimension),
                  size_of(gemm.c.batch_stride),
                  size_of(gemm.c.batch),
                  &queue,
                  event);
}

core::Error refused(const std::string& device, int code) {
  return core::make_error(core::ExitCode::unavailable,
                          "opencl.clblast_failed",
                          {{"device", device}, {"error", clblast_error_name(code)}});
}

}  // namespace

std::string library_version(const std::string& file) {
  const std::string mark = ".so.";
  const std::size_t at = file.rfind(mark);
  const std::string version = at == std::string::npos ? "" : file.substr(at + mark.size());
  return version.find_first_not_of("0123456789.") == std::string::npos ? version : "";
}

core::Result<std::unique_ptr<Clblast>> Clblast::open(const std::string& name) {
  const auto lacking = [&](const std::string& why) {
    return core::make_error(
        core::ExitCode::unavailable, "opencl.no_clblast", {{"library", name}, {"why", why}});
  };
  const auto opened = core::SharedLibrary::open(name);
  if (!opened) {
    return lacking(core::loaders_words(opened.error()));
  }
  auto library = std::make_unique<Clblast>();
  if (!opened->find("CLBlastSgemm", library->sgemm_) || !opened->find("CLBlastDgemm", library->dgemm_) ||
      !opened->find("CLBlastSgemmStridedBatched", library->sgemm_batched_) ||
      !opened->find("CLBlastDgemmStridedBatched", library->dgemm_batched_)) {
    return lacking("it lacks functions of CLBlast 1.5");
  }
  library->file_ = opened->file();
  return library;
}

device::Support Clblast::supports(const Gemm& gemm, const Runtime& runtime) const {
  const auto shown = [](DataType type) { return std::string(numerics::display_name(type)); };
  const DataType type = gemm.a.type;
  const bool same = gemm.b.type == type && gemm.c.type == type && gemm.accumulator == type;
  if (same && (type == DataType::f32 || type == DataType::f64)) {
    return {true, false, {}};
  }
  if (type == DataType::f16 && !runtime.facts().has_f16()) {
    return {false, false, core::message("opencl.clblast_no_half", {{"device", runtime.id()}})};
  }
  return {false,
          false,
          core::message("opencl.clblast_types",
                        {{"a", shown(type)},
                         {"b", shown(gemm.b.type)},
                         {"c", shown(gemm.c.type)},
                         {"accumulator", shown(gemm.accumulator)}})};
}

device::Variant Clblast::variant() const {
  device::Variant variant;
  variant.name = "clblast";
  const std::string version = library_version(file_);
  variant.library = version.empty() ? "CLBlast" : "CLBlast " + version;
  variant.file = file_;
  return variant;
}

core::Status Clblast::launch(OpenClStream& stream,
                             const Gemm& gemm,
                             const GemmMemory& memory,
                             Commands& commands) const {
  // CLBlast gives the event of its last kernel only: a marker before it tells when the work began.
  if (auto begun = stream.marker(commands); !begun) {
    return begun;
  }
  const bool is_double = gemm.c.type == DataType::f64;
  cl_event event = nullptr;
  CLBlastStatusCode status = CLBlastSuccess;
  if (gemm.c.batch == 1) {
    status = is_double ? multiply<double>(dgemm_, stream, gemm, memory, &event)
                       : multiply<float>(sgemm_, stream, gemm, memory, &event);
  } else {
    status = is_double ? multiply_batch<double>(dgemm_batched_, stream, gemm, memory, &event)
                       : multiply_batch<float>(sgemm_batched_, stream, gemm, memory, &event);
  }
  if (event != nullptr) {
    commands.emplace_back(event);
  }
  if (status != CLBlastSuccess) {
    return refused(stream.runtime().id(), status);
  }
  return {};
}

}  // namespace jissoku::backends::opencl
