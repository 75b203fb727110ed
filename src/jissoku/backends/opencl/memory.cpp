#include "jissoku/backends/opencl/memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/resource.h>
#include <utility>

#include "jissoku/core/machine.hpp"

namespace jissoku::backends::opencl {
namespace {

using core::ExitCode;
using device::MemoryKind;

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
/// Left for everything else when memory is checked before it is taken.
constexpr std::int64_t kReserveBytes = std::int64_t{64} << 20;

/// Whole pages of memory; freed by free_pages.
struct Pages {
  void* mapping = nullptr;
  std::size_t mapping_bytes = 0;
  void* data = nullptr;
};

/// data is nullptr if there is no room.
Pages map_pages(std::size_t size_bytes) {
  const std::size_t alignment = size_bytes >= kHugePage ? kHugePage : kPage;
  Pages pages;
  pages.mapping_bytes = (size_bytes + alignment - 1) / alignment * alignment + alignment - kPage;
  pages.mapping =
      mmap(nullptr, pages.mapping_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages.mapping == MAP_FAILED) {
    return {};
  }
  const auto address = reinterpret_cast<std::uintptr_t>(pages.mapping);
  const std::uintptr_t skipped = (alignment - address % alignment) % alignment;
  pages.data = static_cast<std::byte*>(pages.mapping) + skipped;
  if (alignment == kHugePage) {
    madvise(pages.data, size_bytes, MADV_HUGEPAGE);
  }
  return pages;
}

void free_pages(const Pages& pages) {
  if (pages.mapping != nullptr) {
    munmap(pages.mapping, pages.mapping_bytes);
  }
}

/// Called when the last command that uses the memory is done.
void CL_CALLBACK on_destroyed(cl_mem, void* pages) {
  const std::unique_ptr<Pages> owned(static_cast<Pages*>(pages));
  free_pages(*owned);
}

core::Error no_room(std::size_t size_bytes, std::int64_t available_bytes) {
  return core::make_error(
      ExitCode::unavailable,
      "device.out_of_memory",
      {{"size", static_cast<double>(size_bytes)}, {"available", static_cast<double>(available_bytes)}});
}

/// Asked before anything is taken: drivers promise memory that is not there, and kernels kill who touches it.
core::Status check_room(const Runtime& runtime, std::size_t size_bytes, std::int64_t in_use_bytes) {
  if (size_bytes == 0) {
    return core::make_error(ExitCode::usage, "device.empty_buffer");
  }
  const Facts& facts = runtime.facts();
  if (std::cmp_greater(size_bytes, facts.max_allocation_bytes)) {
    return core::make_error(ExitCode::unavailable,
                            "opencl.allocation_limit",
                            {{"device", runtime.id()},
                             {"size", static_cast<double>(size_bytes)},
                             {"most", static_cast<double>(facts.max_allocation_bytes)}});
  }
  const std::int64_t available =
      facts.is_cpu ? core::available_memory_bytes() - kReserveBytes : facts.memory_bytes - in_use_bytes;
  if (std::cmp_greater(size_bytes, std::max<std::int64_t>(available, 0))) {
    return no_room(size_bytes, available);
  }
  return {};
}

/// Memory object over pages of ours, which go when it goes.
core::Result<Handle<cl_mem>> wrap_pages(const Runtime& runtime, const Pages& pages, std::size_t size_bytes) {
  cl_int code = CL_SUCCESS;
  Handle<cl_mem> memory(runtime.api().create_buffer(
      runtime.context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size_bytes, pages.data, &code));
  auto owned = std::make_unique<Pages>(pages);
  const char* call = "clCreateBuffer";
  if (code == CL_SUCCESS) {
    call = "clSetMemObjectDestructorCallback";
    code = runtime.api().on_destroyed(memory.get(), on_destroyed, owned.get());
  }
  if (auto created = runtime.check(call, code); !created) {
    memory.reset();
    free_pages(pages);
    return created.error();
  }
  static_cast<void>(owned.release());
  return memory;  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): on_destroyed owns the pages
}

}  // namespace

core::Result<Handle<cl_mem>> create_device_memory(const Runtime& runtime, std::size_t size_bytes) {
  if (auto room = check_room(runtime, size_bytes, 0); !room) {
    return room.error();
  }
  if (runtime.facts().is_cpu) {
    const Pages pages = map_pages(size_bytes);
    if (pages.data == nullptr) {
      return no_room(size_bytes, core::available_memory_bytes());
    }
    return wrap_pages(runtime, pages, size_bytes);
  }
  cl_int code = CL_SUCCESS;
  Handle<cl_mem> memory(
      runtime.api().create_buffer(runtime.context(), CL_MEM_READ_WRITE, size_bytes, nullptr, &code));
  if (auto created = runtime.check("clCreateBuffer", code); !created) {
    return created.error();
  }
  return memory;
}

void QueueUse::use_in(cl_command_queue queue) {
  if (queue_.get() == queue) {
    return;
  }
  finish();
  clRetainCommandQueue(queue);
  queue_ = Handle<cl_command_queue>(queue);
}

void QueueUse::finish() const {
  if (queue_) {
    clFinish(queue_.get());
  }
}

OpenClBuffer::OpenClBuffer(const std::shared_ptr<Runtime>& runtime,
                           std::size_t size_bytes,
                           MemoryKind kind,
                           std::atomic<std::int64_t>& in_use_bytes)
    : runtime_(runtime), size_bytes_(size_bytes), kind_(kind), in_use_bytes_(in_use_bytes) {
  in_use_bytes_ += static_cast<std::int64_t>(size_bytes_);
}

OpenClBuffer::~OpenClBuffer() {
  if (locked_) {
    munlock(host_, size_bytes_);
  }
  if (host_ != nullptr) {
    finish();  // a copy or a mapping may be under way still
    clEnqueueUnmapMemObject(queue(), memory_.get(), host_, 0, nullptr, nullptr);
    finish();
  }
  in_use_bytes_ -= static_cast<std::int64_t>(size_bytes_);
}

core::Result<std::unique_ptr<device::Buffer>> OpenClBuffer::allocate(
    const std::shared_ptr<Runtime>& runtime,
    cl_command_queue queue,
    std::size_t size_bytes,
    MemoryKind kind,
    std::atomic<std::int64_t>& in_use_bytes) {
  if (auto room = check_room(*runtime, size_bytes, in_use_bytes); !room) {
    return room.error();
  }
  std::unique_ptr<OpenClBuffer> buffer(new OpenClBuffer(runtime, size_bytes, kind, in_use_bytes));
  const bool on_device = kind == MemoryKind::device;
  if (on_device || runtime->facts().is_cpu) {
    auto memory = create_device_memory(*runtime, size_bytes);
    if (!memory) {
      return memory.error();
    }
    buffer->memory_ = std::move(*memory);
  } else {
    cl_int code = CL_SUCCESS;
    buffer->memory_ = Handle<cl_mem>(runtime->api().create_buffer(
        runtime->context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size_bytes, nullptr, &code));
    if (auto created = runtime->check("clCreateBuffer", code); !created) {
      return created.error();
    }
  }
  core::Status ready = on_device ? core::Status() : buffer->map(queue, true);
  if (ready && kind == MemoryKind::pinned && runtime->facts().is_cpu) {
    ready = buffer->lock();
  }
  if (!ready) {
    return ready.error();
  }
  return std::unique_ptr<device::Buffer>(std::move(buffer));
}

core::Status OpenClBuffer::map(cl_command_queue in, bool blocking) {
  cl_int code = CL_SUCCESS;
  void* const address = runtime_->api().enqueue_map(in,
                                                    memory_.get(),
                                                    blocking ? CL_TRUE : CL_FALSE,
                                                    CL_MAP_READ | CL_MAP_WRITE,
                                                    0,
                                                    size_bytes_,
                                                    0,
                                                    nullptr,
                                                    nullptr,
                                                    &code);
  if (auto mapped = runtime_->check("clEnqueueMapBuffer", code); !mapped) {
    return mapped;
  }
  host_ = static_cast<std::byte*>(address);
  use_in(in);
  return {};
}

core::Status OpenClBuffer::unmap(cl_command_queue in) {
  const cl_int code = runtime_->api().enqueue_unmap(in, memory_.get(), host_, 0, nullptr, nullptr);
  return runtime_->check("clEnqueueUnmapMemObject", code);
}

core::Status OpenClBuffer::lock() {
  if (mlock(host_, size_bytes_) == 0) {
    locked_ = true;
    return {};
  }
  const int error_number = errno;
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  return core::make_error(ExitCode::unavailable,
                          "opencl.no_lock",
                          {{"wanted", static_cast<double>(size_bytes_)},
                           {"limit", static_cast<double>(limit.rlim_cur)},
                           {"why", std::string(std::strerror(error_number))}});
}

}  // namespace jissoku::backends::opencl
