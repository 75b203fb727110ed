// The first OpenCL device of this machine that can be opened, for tests of what the conformance suite does
// not see.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "jissoku/backends/opencl/discovery.hpp"
#include "jissoku/backends/opencl/opencl_device.hpp"

namespace jissoku::backends::opencl {

/// nullptr if there is none.
inline const FoundDevice* usable_device() {
  for (const FoundDevice& found : discover().devices) {
    if (found.unusable.empty()) {
      return &found;
    }
  }
  return nullptr;
}

/// A test with a device of its own; skips where there is none.
class OpenedDevice : public testing::Test {
 protected:
  void SetUp() override {
    const FoundDevice* const found = usable_device();
    if (found == nullptr) {
      GTEST_SKIP() << "no OpenCL device here";
    }
    open(*found);
  }

  void open(const FoundDevice& found) {
    auto runtime = shared_runtime(found);
    ASSERT_TRUE(runtime.ok());
    runtime_ = *runtime;
    auto device = OpenClDevice::open(describe(found.facts, 0), runtime_, "libclblast.so.1");
    ASSERT_TRUE(device.ok());
    device_ = std::move(*device);
    stream_ = std::move(device_->create_stream()).value();
  }

  template <typename T>
  std::unique_ptr<device::Buffer> upload(const std::vector<T>& values,
                                         device::MemoryKind kind = device::MemoryKind::device) {
    const std::size_t size = values.size() * sizeof(T);
    auto staging = std::move(device_->allocate(size, device::MemoryKind::pageable)).value();
    std::memcpy(staging->host_data(), values.data(), size);
    auto buffer = std::move(device_->allocate(size, kind)).value();
    EXPECT_TRUE(device_->copy(*stream_, {buffer.get(), 0, staging.get(), 0, size}).ok());
    EXPECT_TRUE(device_->synchronise(*stream_).ok());
    return buffer;
  }

  template <typename T>
  std::vector<T> download(device::Buffer& buffer) {
    auto staging = std::move(device_->allocate(buffer.size_bytes(), device::MemoryKind::pageable)).value();
    EXPECT_TRUE(device_->copy(*stream_, {staging.get(), 0, &buffer, 0, buffer.size_bytes()}).ok());
    EXPECT_TRUE(device_->synchronise(*stream_).ok());
    std::vector<T> values(buffer.size_bytes() / sizeof(T));
    std::memcpy(values.data(), staging->host_data(), values.size() * sizeof(T));
    return values;
  }

  std::shared_ptr<Runtime> runtime_;
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<device::Stream> stream_;  // goes before its device
};

}  // namespace jissoku::backends::opencl
