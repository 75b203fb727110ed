// Devices on the host fail by getting no memory. The linker (--wrap) puts these functions between our own
// code in this program and the allocator, so that the code under test knows nothing of it.
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

#include "../device/harness.hpp"
#include "faults.hpp"

namespace {

bool out_of_memory() {
  return jissoku::tests::tripwire().trips(jissoku::tests::Site::allocator);
}

std::atomic<long> mappings{0};

}  // namespace

extern "C" {
void* real_mmap(void*, std::size_t, int, int, int, off_t) asm("__real_mmap");
void* failing_mmap(void*, std::size_t, int, int, int, off_t) asm("__wrap_mmap");
int real_munmap(void*, std::size_t) asm("__real_munmap");
int counted_munmap(void*, std::size_t) asm("__wrap_munmap");
int real_mprotect(void*, std::size_t, int) asm("__real_mprotect");
int failing_mprotect(void*, std::size_t, int) asm("__wrap_mprotect");
int real_mlock(const void*, std::size_t) asm("__real_mlock");
int failing_mlock(const void*, std::size_t) asm("__wrap_mlock");
void* real_aligned_alloc(std::size_t, std::size_t) asm("__real_aligned_alloc");
void* failing_aligned_alloc(std::size_t, std::size_t) asm("__wrap_aligned_alloc");
// operator new(std::size_t, std::align_val_t, const std::nothrow_t&)
void* real_new(std::size_t,
               std::align_val_t,
               const std::nothrow_t&) asm("__real__ZnwmSt11align_val_tRKSt9nothrow_t");
void* failing_new(std::size_t,
                  std::align_val_t,
                  const std::nothrow_t&) asm("__wrap__ZnwmSt11align_val_tRKSt9nothrow_t");

void* failing_mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset) {
  if (out_of_memory()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  void* const mapping = real_mmap(at, size, protection, flags, file, offset);
  mappings += mapping != MAP_FAILED ? 1 : 0;
  return mapping;
}
int counted_munmap(void* at, std::size_t size) {
  --mappings;
  return real_munmap(at, size);
}
int failing_mprotect(void* at, std::size_t size, int protection) {
  if (out_of_memory()) {
    errno = ENOMEM;
    return -1;
  }
  return real_mprotect(at, size, protection);
}
int failing_mlock(const void* at, std::size_t size) {
  if (out_of_memory()) {
    errno = ENOMEM;
    return -1;
  }
  return real_mlock(at, size);
}
void* failing_aligned_alloc(std::size_t alignment, std::size_t size) {
  return out_of_memory() ? nullptr : real_aligned_alloc(alignment, size);
}
void* failing_new(std::size_t size, std::align_val_t alignment, const std::nothrow_t& tag) {
  return out_of_memory() ? nullptr : real_new(size, alignment, tag);
}
}  // extern "C"

namespace jissoku::tests {

long live_mappings() {
  return mappings;
}

namespace {

class HostInjector final : public FaultInjector {
 public:
  explicit HostInjector(std::string device) : device_(std::move(device)) {}
  std::string name() const override { return "allocator"; }
  std::vector<Fault> faults() const override {
    Fault fault;
    fault.name = "out_of_memory";
    fault.sites = {Site::allocator};
    fault.fewest_calls = device_ == "cpu" ? 16 : 7;
    fault.may_be_survived = device_ == "cpu";  // without memory for generated kernels the compiled ones serve
    return {fault};
  }
  core::Result<std::unique_ptr<device::Device>> open() override { return registry().open(device_, {}); }

 private:
  std::string device_;
};

const bool kOffered = offer_injectors([](const std::string& device) {
  FaultInjectors injectors;
  if (device == "cpu" || device == "reference") {
    injectors.push_back(std::make_unique<HostInjector>(device));
  }
  return injectors;
});

}  // namespace
}  // namespace jissoku::tests
