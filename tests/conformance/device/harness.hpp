// What every device must do, whatever it is: the tests of this folder run on each device of the
// registry and each of its GEMM variants, and reach memory through copies only.
#pragma once

#include <cctype>
#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jissoku/cli/registration.hpp"
#include "jissoku/device/backend.hpp"
#include "jissoku/device/views.hpp"
#include "jissoku/numerics/verification.hpp"
#include "support/fake_device.hpp"

namespace jissoku::tests {

/// A device, and for GEMM tests one of its variants ("" where it has one way only).
struct Target {
  std::string device, variant;
};
/// GoogleTest's name.
inline void PrintTo(const Target& target, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << target.device << ":" << target.variant;
}

/// The program's devices, and the fakes, since tests that use them rely on them the same way.
inline const device::Registry& registry() {
  static FakeClock clock;
  static const device::Registry kRegistry = [] {
    device::Registry all = cli::make_registry();
    FakeDeviceOptions host;
    host.id = "fake:host";
    FakeDeviceOptions accelerator;
    accelerator.id = "fake:accelerator";
    accelerator.is_host = false;
    all.add(make_fake_backend(clock, {host, accelerator}));
    return all;
  }();
  return kRegistry;
}

/// All devices; of the models, which differ in numbers only, a few.
inline std::vector<device::Info> tested_devices() {
  std::vector<device::Info> devices;
  for (const device::Backend& backend : registry().backends()) {
    for (device::Info& info : backend.list().devices) {
      if (!info.modelled || info.id == "model:cpu" || info.id == "model:t4" || info.id == "model:h100") {
        devices.push_back(std::move(info));
      }
    }
  }
  return devices;
}

inline std::vector<Target> all_devices() {
  std::vector<Target> targets;
  for (const device::Info& info : tested_devices()) {
    targets.push_back({info.id, {}});
  }
  return targets;
}

inline std::vector<Target> all_variants() {
  std::vector<Target> targets;
  for (const device::Info& info : tested_devices()) {
    for (const std::string& variant : info.variant_names) {
      targets.push_back({info.id, variant});
    }
    if (info.variant_names.empty()) {
      targets.push_back({info.id, {}});
    }
  }
  return targets;
}

inline std::string target_name(const testing::TestParamInfo<Target>& info) {
  std::string name = info.param.device + (info.param.variant.empty() ? "" : "_" + info.param.variant);
  for (char& character : name) {
    character = std::isalnum(static_cast<unsigned char>(character)) != 0 ? character : '_';
  }
  return name;
}

/// "cpu.engine_missing (engine: blis)".
inline std::string describe(const core::Message& message) {
  std::string text = message.id;
  for (const core::Argument& argument : message.args) {
    text += " (" + argument.name + ": ";
    if (const auto* word = std::get_if<std::string>(&argument.value)) {
      text += *word;
    } else if (const auto* number = std::get_if<std::int64_t>(&argument.value)) {
      text += std::to_string(*number);
    } else if (const auto* real = std::get_if<double>(&argument.value)) {
      text += std::to_string(*real);
    } else if (const auto* messages = std::get_if<std::vector<core::Message>>(&argument.value)) {
      for (const core::Message& one : *messages) {
        text += describe(one) + "; ";
      }
    }
    text += ")";
  }
  return text;
}

template <typename T>
testing::AssertionResult succeeded(const core::Result<T>& result) {
  return result.ok() ? testing::AssertionSuccess()
                     : testing::AssertionFailure() << describe(result.error().message);
}

/// Opens the target's device; a device or variant that cannot be used here skips with its reason.
class DeviceTest : public testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    auto opened = registry().open(GetParam().device, {});
    if (!opened) {
      GTEST_SKIP() << describe(opened.error().message);
    }
    device_ = std::move(*opened);
    auto stream = device_->create_stream();
    ASSERT_TRUE(succeeded(stream));
    stream_ = std::move(*stream);
  }

  device::Device& device() { return *device_; }
  device::Stream& stream() { return *stream_; }

  void launch(const device::Operation& operation) {
    ASSERT_TRUE(succeeded(device().launch(stream(), operation)));
    ASSERT_TRUE(succeeded(device().synchronise(stream())));
  }

  std::unique_ptr<device::Buffer> allocate(std::size_t size_bytes,
                                           device::MemoryKind kind = device::MemoryKind::device) {
    auto buffer = device().allocate(size_bytes, kind);
    EXPECT_TRUE(succeeded(buffer));
    return buffer.ok() ? std::move(*buffer) : nullptr;
  }

  void copy(device::Buffer& dst, device::Buffer& src) {
    const device::CopyRange range{&dst, 0, &src, 0, src.size_bytes()};
    ASSERT_TRUE(succeeded(device().copy(stream(), range)));
    ASSERT_TRUE(succeeded(device().synchronise(stream())));
  }

  template <typename T>
  std::unique_ptr<device::Buffer> upload(const std::vector<T>& values) {
    const std::size_t size_bytes = values.size() * sizeof(T);
    auto staging = allocate(size_bytes, device::MemoryKind::pageable);
    std::memcpy(staging->host_data(), values.data(), size_bytes);
    auto buffer = allocate(size_bytes);
    copy(*buffer, *staging);
    return buffer;
  }

  template <typename T>
  std::vector<T> download(device::Buffer& buffer) {
    auto staging = allocate(buffer.size_bytes(), device::MemoryKind::pageable);
    copy(*staging, buffer);
    std::vector<T> values(buffer.size_bytes() / sizeof(T));
    std::memcpy(values.data(), staging->host_data(), values.size() * sizeof(T));
    return values;
  }

 private:
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<device::Stream> stream_;  // goes before its device
};

template <typename T>
constexpr numerics::DataType kTypeOf = sizeof(T) == sizeof(double) ? numerics::DataType::f64
                                                                   : numerics::DataType::f32;

template <typename T>
T poison() {
  if constexpr (sizeof(T) == sizeof(double)) {
    return numerics::poison_f64();
  } else {
    return numerics::poison_f32();
  }
}

/// Where the matrices of a case lie in their buffers.
struct Layout {
  std::int64_t offset = 0, padding = 0;
};
/// Tight; and nothing aligned, rows apart.
inline constexpr Layout kLayouts[] = {{0, 0}, {3, 5}};

/// A batch of matrices in host memory as it will lie in the device's buffer: whatever is no element
/// (offset, padding, a tail) holds the poison, which is a NaN, so that reading it shows in results.
template <typename T>
struct Placed {
  Placed(std::int64_t row_count, std::int64_t column_count, Layout layout, std::int64_t batch_count = 1)
      : rows(row_count),
        columns(column_count),
        leading_dimension(column_count + layout.padding),
        offset(layout.offset),
        batch(batch_count),
        values(static_cast<std::size_t>(offset + batch * rows * leading_dimension + 4), poison<T>()) {}

  T& at(std::int64_t row, std::int64_t column, std::int64_t which = 0) {
    return values[static_cast<std::size_t>(offset + (which * rows + row) * leading_dimension + column)];
  }
  device::TensorView view(device::Buffer* buffer) const {
    device::TensorView out;
    out.buffer = buffer;
    out.offset_elements = offset;
    out.type = kTypeOf<T>;
    out.rows = rows;
    out.columns = columns;
    out.leading_dimension = leading_dimension;
    out.batch = batch;
    out.batch_stride = rows * leading_dimension;
    return out;
  }
  /// set(row, column, batch) for every element.
  template <typename Set>
  void fill(Set set) {
    for (std::int64_t which = 0; which < batch; ++which) {
      for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t column = 0; column < columns; ++column) {
          at(row, column, which) = static_cast<T>(set(row, column, which));
        }
      }
    }
  }
  /// Bit for bit, which NaN survives and -0 does not pass for 0.
  bool same_bits(const std::vector<T>& others) const {
    return values.size() == others.size() &&
           std::memcmp(values.data(), others.data(), values.size() * sizeof(T)) == 0;
  }
  /// Everything but the elements is as it was.
  bool same_bits_around(Placed after) const {
    Placed before = *this;
    after.fill([&](auto row, auto column, auto which) { return before.at(row, column, which); });
    return same_bits(after.values);
  }

  std::int64_t rows, columns, leading_dimension, offset, batch;
  std::vector<T> values;
};

}  // namespace jissoku::tests
