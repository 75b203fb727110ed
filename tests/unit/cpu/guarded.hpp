// Memory between two pages that must not be touched.
#pragma once

#include <cstring>
#include <sys/mman.h>
#include <vector>

namespace jissoku::tests {

/// A copy of `values` that ends at the page behind it, or starts at the one before it: reading or writing
/// one element too far ends the program.
template <typename T>
class Guarded {
 public:
  Guarded(const std::vector<T>& values, bool at_end) {
    const std::size_t bytes = values.size() * sizeof(T);
    room_ = (bytes + kPage - 1) / kPage * kPage;
    start_ = static_cast<std::byte*>(
        mmap(nullptr, room_ + 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(start_, kPage, PROT_NONE);
    mprotect(start_ + kPage + room_, kPage, PROT_NONE);
    data_ = reinterpret_cast<T*>(start_ + kPage + (at_end ? room_ - bytes : 0));
    if (!values.empty()) {
      std::memcpy(data_, values.data(), bytes);
    }
  }
  ~Guarded() { munmap(start_, room_ + 2 * kPage); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  T* data() const { return data_; }

 private:
  static constexpr std::size_t kPage = 4096;
  std::size_t room_ = 0;
  std::byte* start_ = nullptr;
  T* data_ = nullptr;
};

}  // namespace jissoku::tests
