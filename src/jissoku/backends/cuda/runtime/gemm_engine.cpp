#include "jissoku/backends/cuda/runtime/gemm_engine.hpp"

#include <cuda_runtime_api.h>

#include "jissoku/backends/cuda/rules/errors.hpp"
#include "jissoku/backends/cuda/rules/support.hpp"
#include "jissoku/backends/cuda/runtime/gemm_plan.hpp"
#include "jissoku/backends/cuda/runtime/status.hpp"

namespace jissoku::backends::cuda {
namespace {

using core::Status;

/// Device memory for the results of trials, which take place as the product itself will: result over C.
class Scratch {
 public:
  explicit Scratch(std::int64_t size_bytes) : size_bytes_(static_cast<std::size_t>(size_bytes)) {
    if (cudaMalloc(&data_, size_bytes_) != cudaSuccess) {
      data_ = nullptr;
      cudaGetLastError();
    }
  }
  ~Scratch() {
    if (data_ != nullptr) {
      cudaFree(data_);
    }
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* data() const { return data_; }
  /// Gives it what C holds, if that will be read.
  Status hold(const void* c, bool is_read, CudaStream& stream) const {
    if (!is_read) {
      return {};
    }
    return check(cudaMemcpyAsync(data_, c, size_bytes_, cudaMemcpyDefault, stream.handle()),
                 "cudaMemcpyAsync");
  }

 private:
  std::size_t size_bytes_;
  void* data_ = nullptr;
};

/// One product, timed with each of its algorithms.
struct Trial {
  const GemmPlan& plan;
  const GemmOperands& operands;
  double alpha, beta;
  void* workspace;
  CudaStream& stream;
  CudaEvent& start;
  CudaEvent& stop;

  /// Device time of one launch, averaged over so many.
  core::Result<double> time_ns(std::size_t candidate, int launches) const {
    if (Status done = start.record(stream); !done) {
      return done.error();
    }
    for (int i = 0; i < launches; ++i) {
      if (Status done = plan.run(candidate, operands, alpha, beta, workspace, stream.handle()); !done) {
        return done.error();
      }
    }
    if (Status done = stop.record(stream); !done) {
      return done.error();
    }
    if (Status done = check(cudaStreamSynchronize(stream.handle()), "cudaStreamSynchronize"); !done) {
      return done.error();
    }
    const auto elapsed = elapsed_ns(start, stop);
    return elapsed ? core::Result<double>(*elapsed / launches) : elapsed;
  }
};

/// The fastest candidate, and how many were tried. Those that fail are passed over, unless the device is
/// lost.
Status choose_fastest(GemmPlan& plan, const Trial& trial) {
  std::size_t best = 0;
  double best_ns = 0, spent_ns = 0;
  int tried = 0;
  for (std::size_t i = 0; i < plan.candidates().size() && spent_ns < kTrialBudgetNs; ++i) {
    const auto first = trial.time_ns(i, 1);  // also loads the kernel, which later launches need not
    const int launches = first ? timed_launches(*first) : 0;
    const auto timed = first ? trial.time_ns(i, launches) : first;
    if (!timed) {
      if (timed.error().message.id == "cuda.lost") {
        return timed.error();
      }
      continue;
    }
    spent_ns += *first + *timed * launches;
    ++tried;
    if (tried == 1 || *timed < best_ns) {
      best = i;
      best_ns = *timed;
    }
  }
  plan.choose(best, tried);  // none worked: the launch itself will say why
  return {};
}

}  // namespace

GemmEngine::GemmEngine(const ComputeCapability& capability) : capability_(capability) {}

GemmEngine::~GemmEngine() {
  plans_.clear();
  if (handle_ != nullptr) {
    cublaslt()->destroy(static_cast<cublasLtHandle_t>(handle_));
  }
}

Status GemmEngine::library() {
  const auto& opened = cublaslt();
  return opened ? Status() : Status(opened.error());
}

device::Variant GemmEngine::describe(const Product& product) const {
  device::Variant variant;
  variant.name = kGemmVariant;
  const auto& opened = cublaslt();
  if (!opened) {
    variant.library = "cuBLASLt";
    return variant;
  }
  variant.library = "cuBLASLt " + opened->version;
  variant.file = opened->file;
  if (const auto found = plans_.find(product); found != plans_.end()) {
    variant.kernel = found->second->kernel();
  }
  return variant;
}

Status GemmEngine::start() {
  if (handle_ != nullptr) {
    return {};
  }
  if (Status opened = library(); !opened) {
    return opened;
  }
  cublasLtHandle_t handle = nullptr;
  if (const cublasStatus_t made = cublaslt()->create(&handle); made != CUBLAS_STATUS_SUCCESS) {
    return describe_cublas_failure(made, "cublasLtCreate");
  }
  handle_ = handle;
  return {};
}

core::Result<GemmPlan*> GemmEngine::plan_for(
    const Product& product, const GemmOperands& operands, double alpha, double beta, CudaStream& stream) {
  if (const auto found = plans_.find(product); found != plans_.end()) {
    return found->second.get();
  }
  const std::int64_t room = workspace_bytes(capability_.major);
  auto made = GemmPlan::make(*cublaslt(), static_cast<cublasLtHandle_t>(handle_), product, room);
  if (!made) {
    return made.error();
  }
  const auto workspace = stream.workspace(room);
  if (!workspace) {
    return workspace.error();
  }
  const auto start = CudaEvent::create();
  if (!start) {
    return start.error();
  }
  const auto stop = CudaEvent::create();
  if (!stop) {
    return stop.error();
  }
  GemmPlan& plan = **made;
  const Scratch scratch(span_bytes(product.result, product.batch));
  if (scratch.data() == nullptr) {
    plan.choose(0, 0);
  } else {
    if (Status copied = scratch.hold(operands.result, product.adds, stream); !copied) {
      return copied.error();
    }
    const GemmOperands aside{operands.first, operands.second, scratch.data()};
    if (Status chosen = choose_fastest(plan, {plan, aside, alpha, beta, *workspace, stream, **start, **stop});
        !chosen) {
      return chosen.error();
    }
  }
  return plans_.emplace(product, std::move(*made)).first->second.get();
}

Status GemmEngine::multiply(
    const Product& product, const GemmOperands& operands, double alpha, double beta, CudaStream& stream) {
  if (Status started = start(); !started) {
    return started;
  }
  const auto plan = plan_for(product, operands, alpha, beta, stream);
  if (!plan) {
    return plan.error();
  }
  const auto workspace = stream.workspace(workspace_bytes(capability_.major));
  if (!workspace) {
    return workspace.error();
  }
  Status done = (*plan)->run((*plan)->chosen(), operands, alpha, beta, *workspace, stream.handle());
  if (!done) {
    plans_.erase(product);  // it may have been chosen while trials failed: next time anew
  }
  return done;
}

}  // namespace jissoku::backends::cuda
