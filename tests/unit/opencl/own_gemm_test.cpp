// Our kernel where the conformance suite does not go: narrow operands, depths of several pieces, one operand
// for a whole batch, memory that the host has mapped.
#include "jissoku/numerics/narrow.hpp"
#include "jissoku/numerics/random.hpp"
#include "opened_device.hpp"

namespace jissoku::backends::opencl {
namespace {

using numerics::DataType;

struct Shape {
  std::int64_t m, n, k;
  bool transpose_a = false, transpose_b = false;
  std::int64_t batch = 1;
  bool share_b = false;  ///< one B for all of the batch
};

std::vector<float> integers(std::int64_t count, std::uint64_t seed) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(static_cast<int>(numerics::random_bits(seed, i) % 9) - 4);
  }
  return values;
}

device::Gemm product_of(const Shape& shape, DataType type) {
  const auto view = [&](std::int64_t rows, std::int64_t columns, DataType of, bool shared) {
    device::TensorView one;
    one.type = of;
    one.rows = rows;
    one.columns = one.leading_dimension = columns;
    one.batch = shape.batch;
    one.batch_stride = shared ? 0 : rows * columns;
    return one;
  };
  device::Gemm gemm;
  gemm.transpose_a = shape.transpose_a;
  gemm.transpose_b = shape.transpose_b;
  gemm.a = shape.transpose_a ? view(shape.k, shape.m, type, false) : view(shape.m, shape.k, type, false);
  gemm.b = shape.transpose_b ? view(shape.n, shape.k, type, shape.share_b)
                             : view(shape.k, shape.n, type, shape.share_b);
  gemm.c = view(shape.m, shape.n, DataType::f32, false);
  gemm.variant = "own";
  return gemm;
}

class OwnKernel : public OpenedDevice {
 protected:
  std::unique_ptr<device::Buffer> place(const std::vector<float>& values, DataType type) {
    if (type == DataType::f32) {
      return upload(values);
    }
    std::vector<std::uint16_t> narrow;
    for (const float value : values) {
      narrow.push_back(type == DataType::f16 ? numerics::to_f16(value) : numerics::to_bf16(value));
    }
    return upload(narrow);
  }

  void expect_exact(const Shape& shape, DataType type) {
    device::Gemm gemm = product_of(shape, type);
    const auto a = integers(shape.batch * shape.m * shape.k, 1);
    const auto b = integers((shape.share_b ? 1 : shape.batch) * shape.k * shape.n, 2);
    const auto a_buffer = place(a, type);
    const auto b_buffer = place(b, type);
    const auto c_buffer = upload(std::vector<float>(static_cast<std::size_t>(shape.batch * shape.m * shape.n),
                                                    std::numeric_limits<float>::quiet_NaN()));
    gemm.a.buffer = a_buffer.get();
    gemm.b.buffer = b_buffer.get();
    gemm.c.buffer = c_buffer.get();
    ASSERT_TRUE(device_->launch(*stream_, gemm).ok());
    const std::vector<float> c = download<float>(*c_buffer);
    const auto at = [](const std::vector<float>& of, std::int64_t index) {
      return of[static_cast<std::size_t>(index)];
    };
    for (std::int64_t which = 0; which < shape.batch; ++which) {
      for (std::int64_t i = 0; i < shape.m; ++i) {
        for (std::int64_t j = 0; j < shape.n; ++j) {
          float sum = 0;
          for (std::int64_t k = 0; k < shape.k; ++k) {
            sum +=
                at(a, which * gemm.a.batch_stride + (shape.transpose_a ? k * shape.m + i : i * shape.k + k)) *
                at(b, which * gemm.b.batch_stride + (shape.transpose_b ? j * shape.k + k : k * shape.n + j));
          }
          ASSERT_EQ(at(c, (which * shape.m + i) * shape.n + j), sum) << which << " " << i << " " << j;
        }
      }
    }
  }
};

TEST_F(OwnKernel, IsExactOverSeveralPiecesOfTheDepth) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      expect_exact({31, 67, 1211, transpose_a, transpose_b}, DataType::f32);
      expect_exact({24, 96, 1040, transpose_a, transpose_b}, DataType::f32);
    }
  }
}

TEST_F(OwnKernel, WidensNarrowOperandsAndSaysSo) {
  for (const DataType type : {DataType::f16, DataType::bf16}) {
    const Shape shape{37, 53, 129};
    const device::Support support = device_->supports(product_of(shape, type));
    ASSERT_TRUE(support.ok);
    EXPECT_TRUE(support.emulated);
    EXPECT_EQ(support.reason.id, "opencl.widened");
    expect_exact(shape, type);
    expect_exact({48, 64, 80, true, true}, type);
  }
}

// The tiles for GPUs, on this device told that it is one: speed is another matter, right they must be.
TEST_F(OwnKernel, TilesForGpusAreExactToo) {
  FoundDevice gpu = *usable_device();
  gpu.id += " as a GPU";
  gpu.facts.is_cpu = false;
  stream_.reset();
  open(gpu);
  const auto variant = device_->variants(product_of({8, 8, 8}, DataType::f32)).front();
  EXPECT_EQ(variant.kernel, "8x8, float4");
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      expect_exact({1, 1, 1, transpose_a, transpose_b}, DataType::f32);
      expect_exact({31, 67, 611, transpose_a, transpose_b}, DataType::f32);
      expect_exact({64, 128, 80, transpose_a, transpose_b, 2}, DataType::f16);
    }
  }
}

TEST_F(OwnKernel, UsesOneMatrixForAWholeBatch) {
  expect_exact({17, 33, 29, false, false, 5, true}, DataType::f32);
}

TEST_F(OwnKernel, RefusesOtherFormatsWithAReason) {
  device::Gemm gemm = product_of({8, 8, 8}, DataType::i8);
  EXPECT_EQ(device_->supports(gemm).reason.id, "opencl.gemm_types");
  gemm = product_of({8, 8, 8}, DataType::f16);
  gemm.variant = "clblast";
  const device::Support support = device_->supports(gemm);
  EXPECT_FALSE(support.ok);
  EXPECT_EQ(support.reason.id.rfind("opencl.", 0), 0U);
}

TEST_F(OwnKernel, WorksOnMappedMemoryAndRefusesOtherHostMemory) {
  device::Gemm gemm = product_of({16, 16, 16}, DataType::f32);
  const auto ones = std::vector<float>(256, 1.0F);
  const auto a = upload(ones, device::MemoryKind::mapped);
  const auto c = upload(ones, device::MemoryKind::mapped);
  gemm.a.buffer = gemm.b.buffer = a.get();
  gemm.c.buffer = c.get();
  ASSERT_TRUE(device_->launch(*stream_, gemm).ok());
  ASSERT_TRUE(device_->synchronise(*stream_).ok());
  float first = 0;
  std::memcpy(&first, c->host_data(), sizeof first);
  EXPECT_EQ(first, 16.0F);

  const auto pageable = std::move(device_->allocate(1024, device::MemoryKind::pageable)).value();
  gemm.a.buffer = pageable.get();
  const core::Status refused = device_->launch(*stream_, gemm);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message.id, "opencl.host_memory");
}

TEST_F(OwnKernel, VariantsNameKernelAndLibrary) {
  const auto variants = device_->variants(product_of({8, 8, 8}, DataType::f32));
  ASSERT_EQ(variants.size(), 2U);
  EXPECT_EQ(variants[0].name, "own");
  EXPECT_NE(variants[0].kernel.find("x"), std::string::npos);
  ASSERT_FALSE(variants[0].notes.empty());
  EXPECT_EQ(variants[0].notes.front().id, "opencl.compiled");
  EXPECT_EQ(variants[1].name, "clblast");
}

}  // namespace
}  // namespace jissoku::backends::opencl
