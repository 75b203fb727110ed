// What the reference says it can do, and that it says why where it cannot.
#include <gtest/gtest.h>

#include "jissoku/backends/reference/backend.hpp"

namespace jissoku::tests {
namespace {

using device::TensorView;
using numerics::DataType;

std::unique_ptr<device::Device> reference() {
  return backends::reference::make_backend().open("reference", {}).value();
}

TensorView view(DataType type) {
  TensorView one;
  one.type = type;
  one.rows = one.columns = one.leading_dimension = 4;
  return one;
}

std::string reason(const device::Operation& operation) {
  const device::Support support = reference()->supports(operation);
  return support.ok ? "" : support.reason.id;
}

device::Gemm gemm(DataType type) {
  device::Gemm op;
  op.a = op.b = op.c = view(type);
  return op;
}

TEST(Reference, IsAnOracleThatIsAlwaysThere) {
  const device::Backend backend = backends::reference::make_backend();
  EXPECT_TRUE(backend.oracle);
  EXPECT_EQ(backend.name, "reference");
  ASSERT_EQ(backend.list().devices.size(), 1U);
  EXPECT_EQ(backend.list().devices[0].id, "reference");
  EXPECT_TRUE(backend.list().devices[0].is_host);
  EXPECT_TRUE(backend.list().reasons.empty());
}

TEST(Reference, DoesFp32AndFp64) {
  EXPECT_EQ(reason(gemm(DataType::f32)), "");
  EXPECT_EQ(reason(gemm(DataType::f64)), "");
  EXPECT_EQ(reason(gemm(DataType::bf16)), "device.type_unsupported");
  EXPECT_EQ(reason(device::Softmax{view(DataType::i8), view(DataType::i8)}), "device.type_unsupported");
  device::Gemm op = gemm(DataType::f32);
  op.accumulator = DataType::f64;
  EXPECT_EQ(reason(op), "");
  op.accumulator = DataType::f16;
  EXPECT_EQ(reason(op), "device.type_unsupported");
}

TEST(Reference, MixesFormatsOnlyInCasts) {
  device::Gemm op = gemm(DataType::f32);
  op.c.type = DataType::f64;
  EXPECT_EQ(reason(op), "device.types_mixed");
  EXPECT_EQ(reason(device::Cast{view(DataType::f32), view(DataType::f64)}), "");
  EXPECT_EQ(reason(device::Cast{view(DataType::f32), view(DataType::f16)}), "device.type_unsupported");
}

TEST(Reference, HasNoVariantsScalesOrProbes) {
  device::Gemm op = gemm(DataType::f32);
  EXPECT_TRUE(reference()->variants(op).empty());
  op.variant = "fast";
  EXPECT_EQ(reason(op), "device.only_default_variant");
  op = gemm(DataType::f32);
  op.a.scale_block = 32;
  EXPECT_EQ(reason(op), "device.scales_unsupported");
  const TensorView f64 = view(DataType::f64);
  EXPECT_EQ(reason(device::FmaPeak{DataType::f32, 1e6, ""}), "device.operation_unsupported");
  EXPECT_EQ(reason(device::MemoryTriad{f64, f64, f64}), "device.operation_unsupported");
  EXPECT_EQ(reason(device::Quantise{f64, f64, "mx_floor"}), "device.operation_unsupported");
}

TEST(Reference, GivesTheReasonOfAWrongLayout) {
  device::Gemm op = gemm(DataType::f32);
  op.b.rows = 5;
  EXPECT_EQ(reason(op), "device.wrong_shape");
  op.b.leading_dimension = 3;
  EXPECT_EQ(reason(op), "device.leading_dimension");
}

TEST(Reference, HasNoPinnedMemory) {
  const auto buffer = reference()->allocate(64, device::MemoryKind::pinned);
  ASSERT_FALSE(buffer.ok());
  EXPECT_EQ(buffer.error().message.id, "device.memory_kind");
  EXPECT_EQ(buffer.error().exit_code, core::ExitCode::unavailable);
}

TEST(Reference, RefusesEventsOfOthers) {
  class Foreign final : public device::Event {};
  Foreign event;
  const auto device = reference();
  const auto stream = device->create_stream().value();
  EXPECT_EQ(device->record(*stream, event).error().message.id, "device.foreign_event");
  EXPECT_EQ(device->wait(*stream, event).error().message.id, "device.foreign_event");
}

}  // namespace
}  // namespace jissoku::tests
