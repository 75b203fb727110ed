#include "jissoku/timeline/analysis/precision.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace jissoku::timeline::analysis {
namespace {

template <std::size_t N>
bool has_any(std::string_view text, const std::array<std::string_view, N>& parts) {
  return std::any_of(parts.begin(), parts.end(), [text](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  });
}

/// Kernels that multiply matrices or convolve, in the libraries' own words.
constexpr std::array<std::string_view, 22> kMatrixWords = {
    "gemm",  "Gemm",         "GEMM",  "Cijk_", "nvjet",  "winograd", "conv2d",      "Conv",
    "conv_", "implicit_con", "dgrad", "wgrad", "fprop",  "wgmma",    "cudnn_infer", "flash_",
    "fmha",  "igemm",        "xmma",  "gemv",  "gemmk1", "MIOpen"};
constexpr std::array<std::string_view, 3> kFp8Words = {"e4m3", "e5m2", "fp8"};
constexpr std::array<std::string_view, 19> kHalfWords = {"bf16",
                                                         "_f16",
                                                         "f16f16",
                                                         "fp16",
                                                         "half",
                                                         "h884",
                                                         "h1688",
                                                         "h16816",
                                                         "hgemm",
                                                         "16816",
                                                         "161616",
                                                         "_HHS",
                                                         "_HSS",
                                                         "BBS_",
                                                         "_HB_",
                                                         "_BB_",
                                                         "HHS_",
                                                         "__nv_bfloat16",
                                                         "hmma"};
constexpr std::array<std::string_view, 4> kTf32Words = {"tf32", "s1688", "s16816", "XSS"};
constexpr std::array<std::string_view, 4> kFp64Words = {"dgemm", "_DB_", "d884", "double"};
constexpr std::array<std::string_view, 9> kFp32Words = {
    "sgemm", "scudnn", "simt", "<float", "_SB_", "_S_B", "SB_MT", "_f32f32", "ffma"};

/// Operators that are matrix products or convolutions.
bool is_matrix_op(std::string_view name) {
  constexpr std::array<std::string_view, 16> kOps = {"aten::mm",
                                                     "aten::addmm",
                                                     "aten::bmm",
                                                     "aten::baddbmm",
                                                     "aten::matmul",
                                                     "aten::linear",
                                                     "aten::conv",
                                                     "aten::cudnn_",
                                                     "aten::thnn_conv",
                                                     "aten::_scaled_mm",
                                                     "aten::miopen_",
                                                     "aten::addmv",
                                                     "aten::_conv",
                                                     "aten::mv",
                                                     "aten::addbmm",
                                                     "aten::_flash"};
  return std::any_of(
             kOps.begin(), kOps.end(), [name](std::string_view op) { return name.starts_with(op); }) &&
         name.find("batch_norm") == std::string_view::npos;
}

/// Of the first operand: what the product is computed in, TF32 apart.
MatrixFormat format_of_types(std::string_view types) {
  if (types.find("Float8") != std::string_view::npos) {
    return MatrixFormat::fp8;
  }
  if (types.find("Half") != std::string_view::npos || types.find("BFloat16") != std::string_view::npos) {
    return MatrixFormat::half;
  }
  if (types.find("double") != std::string_view::npos) {
    return MatrixFormat::fp64;
  }
  return types.find("float") != std::string_view::npos ? MatrixFormat::fp32 : MatrixFormat::unknown;
}

class Judge {
 public:
  Judge(const HostThreads& threads, const Launches& launches) : threads_(threads), launches_(launches) {}

  MatrixFormat format_of(EventId kernel) {
    const Timeline& timeline = threads_.timeline();
    const MatrixFormat named = by_name(timeline.events.name[kernel]);
    const EventId op = matrix_op_of(kernel);
    if (op == kNoEvent) {
      return named;
    }
    const OpDetail* detail = timeline.op_detail(op);
    const MatrixFormat typed =
        detail == nullptr ? MatrixFormat::unknown : format_of_types(timeline.strings[detail->input_types]);
    if (named == MatrixFormat::not_matrix || typed == MatrixFormat::unknown) {
      return named;  // a helper kernel of the operator, or nothing known about its operands
    }
    // Inputs in FP32 may still be multiplied as TF32: only the kernel tells.
    return typed == MatrixFormat::fp32 && named == MatrixFormat::tf32 ? MatrixFormat::tf32 : typed;
  }

 private:
  MatrixFormat by_name(StringId name) {
    const auto [entry, inserted] = names_.try_emplace(name, MatrixFormat::unknown);
    if (inserted) {
      entry->second = format_of_kernel(threads_.timeline().strings[name]);
    }
    return entry->second;
  }

  EventId matrix_op_of(EventId kernel) const {
    const Timeline& timeline = threads_.timeline();
    const EventId call = launches_.call_of(kernel);
    EventId from = call;
    if (call == kNoEvent) {
      const DeviceDetail* detail = timeline.device_detail(kernel);
      from = detail == nullptr ? kNoEvent : launches_.op_of_external_id(detail->external_id);
    }
    if (from == kNoEvent) {
      return kNoEvent;
    }
    const auto op = threads_.enclosing(threads_.place_of(from), [&](EventId id) {
      if (timeline.events.category[id] != Category::cpu_op || !is_matrix_op(timeline.name(id))) {
        return false;
      }
      const OpDetail* detail = timeline.op_detail(id);
      return detail != nullptr && detail->input_types != 0;
    });
    return op.value_or(kNoEvent);
  }

  const HostThreads& threads_;
  const Launches& launches_;
  std::unordered_map<StringId, MatrixFormat> names_;
};

}  // namespace

MatrixFormat format_of_kernel(std::string_view name) {
  if (!has_any(name, kMatrixWords)) {
    return MatrixFormat::not_matrix;
  }
  if (has_any(name, kFp8Words)) {
    return MatrixFormat::fp8;
  }
  if (has_any(name, kHalfWords)) {
    return MatrixFormat::half;
  }
  if (has_any(name, kTf32Words)) {
    return MatrixFormat::tf32;
  }
  if (has_any(name, kFp64Words)) {
    return MatrixFormat::fp64;
  }
  return has_any(name, kFp32Words) ? MatrixFormat::fp32 : MatrixFormat::unknown;
}

PrecisionUse precision_use(const HostThreads& threads,
                           const Launches& launches,
                           const DeviceActivity& activity) {
  PrecisionUse out;
  Judge judge(threads, launches);
  const Events& events = threads.timeline().events;
  for (const EventId id : activity.work) {
    if (events.category[id] != Category::kernel) {
      continue;
    }
    const std::int64_t time = events.duration_ns[id];
    out.kernels_ns += time;
    switch (judge.format_of(id)) {
      case MatrixFormat::fp32:
        out.fp32_ns += time;
        break;
      case MatrixFormat::tf32:
        out.tf32_ns += time;
        break;
      case MatrixFormat::half:
        out.half_ns += time;
        break;
      case MatrixFormat::fp8:
      case MatrixFormat::fp64:
        out.other_ns += time;
        break;
      case MatrixFormat::unknown:
        out.unknown_ns += time;
        break;
      case MatrixFormat::not_matrix:
        break;
    }
  }
  return out;
}

}  // namespace jissoku::timeline::analysis
