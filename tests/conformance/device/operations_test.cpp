// Every operation a device has, compared with the reference device on the same memory.
#include <cmath>

#include "harness.hpp"

namespace jissoku::tests {
namespace {

using device::Operation;
using device::TensorView;
using numerics::DataType;

TensorView shaped(
    DataType type, std::int64_t rows, std::int64_t columns, Layout layout, std::int64_t batch = 1) {
  TensorView view;
  view.type = type;
  view.rows = rows;
  view.columns = columns;
  view.leading_dimension = columns + layout.padding;
  view.offset_elements = layout.offset;
  view.batch = batch;
  view.batch_stride = rows * view.leading_dimension;
  return view;
}

/// All operations with a defined result, on tensors without buffers.
std::vector<Operation> operations(DataType type, Layout layout) {
  const TensorView matrix = shaped(type, 13, 37, layout);
  const TensorView row = shaped(type, 1, 37, layout);
  const TensorView one = shaped(type, 1, 1, layout);
  const TensorView batch = shaped(type, 5, 11, layout, 3);
  std::vector<Operation> all;
  for (const auto data :
       {numerics::Data::normal, numerics::Data::uniform, numerics::Data::ints, numerics::Data::zeros}) {
    all.emplace_back(device::Fill{matrix, data, 5, 3, false});
    all.emplace_back(device::Fill{batch, data, 6, 3, false});
  }
  all.emplace_back(device::Fill{matrix, numerics::Data::normal, 0, 1, true});
  for (const DataType to : {DataType::f32, DataType::f64}) {
    all.emplace_back(device::Cast{matrix, shaped(to, 13, 37, layout)});
  }
  for (const auto activation : {device::Activation::none, device::Activation::relu}) {
    all.emplace_back(device::BiasActivation{matrix, row, matrix, activation});
    all.emplace_back(device::BiasActivationGradient{matrix, matrix, matrix, row, activation});
  }
  all.emplace_back(device::Scale{matrix, -0.37});
  all.emplace_back(device::Softmax{matrix, matrix});
  for (const auto reduction :
       {device::Reduction::sum, device::Reduction::amax, device::Reduction::non_finite_count}) {
    all.emplace_back(device::Reduce{matrix, one, reduction});
    all.emplace_back(device::Reduce{batch, one, reduction});
  }
  all.emplace_back(device::MseLoss{matrix, matrix, one, matrix, 128});
  all.emplace_back(device::SgdStep{matrix, matrix, matrix, 0.01, 0.9});
  return all;
}

std::size_t element_bytes(DataType type) {
  return type == DataType::f64 ? sizeof(double) : sizeof(float);
}

/// Element of raw memory.
double element(const std::vector<std::byte>& memory, DataType type, std::size_t index) {
  if (type == DataType::f64) {
    double value = 0;
    std::memcpy(&value, memory.data() + index * sizeof value, sizeof value);
    return value;
  }
  float value = 0;
  std::memcpy(&value, memory.data() + index * sizeof value, sizeof value);
  return static_cast<double>(value);
}

class Operations : public DeviceTest {
 protected:
  using Memory = std::vector<std::byte>;

  /// Seeded normal numbers everywhere, padding and four elements behind the end included.
  static Memory initial(const TensorView& view, std::uint64_t seed) {
    const auto count = static_cast<std::size_t>(view.offset_elements + *device::extent_elements(view) + 4);
    Memory memory(count * element_bytes(view.type));
    std::vector<double> values(count);
    numerics::fill_values(numerics::Data::normal, seed, 0, 1, values);
    for (std::size_t index = 0; index < count; ++index) {
      if (view.type == DataType::f64) {
        std::memcpy(memory.data() + index * sizeof(double), &values[index], sizeof(double));
      } else {
        const auto narrow = static_cast<float>(values[index]);
        std::memcpy(memory.data() + index * sizeof(float), &narrow, sizeof(float));
      }
    }
    return memory;
  }

  /// The memory of each tensor after the operation on `device`.
  std::vector<Memory> run(Operation operation) {
    std::vector<std::unique_ptr<device::Buffer>> buffers;
    std::uint64_t seed = 100;
    for (const device::NamedView& named : device::views_of(operation)) {
      buffers.push_back(upload(initial(*named.view, seed++)));
      const_cast<TensorView*>(named.view)->buffer = buffers.back().get();  // `operation` is ours
    }
    launch(operation);
    std::vector<Memory> results;
    for (const auto& buffer : buffers) {
      results.push_back(download<std::byte>(*buffer));
    }
    return results;
  }

  /// The same on the reference, whose memory the host can address.
  static std::vector<Memory> run_on_reference(Operation operation) {
    auto reference = registry().open("reference", {}).value();
    auto stream = reference->create_stream().value();
    std::vector<std::unique_ptr<device::Buffer>> buffers;
    std::uint64_t seed = 100;
    for (const device::NamedView& named : device::views_of(operation)) {
      const Memory memory = initial(*named.view, seed++);
      buffers.push_back(reference->allocate(memory.size(), device::MemoryKind::pageable).value());
      std::memcpy(buffers.back()->host_data(), memory.data(), memory.size());
      const_cast<TensorView*>(named.view)->buffer = buffers.back().get();
    }
    EXPECT_TRUE(succeeded(reference->launch(*stream, operation)));
    std::vector<Memory> results;
    for (const auto& buffer : buffers) {
      results.emplace_back(buffer->host_data(), buffer->host_data() + buffer->size_bytes());
    }
    return results;
  }

  void expect_agreement(const Operation& operation) {
    const std::vector<Memory> got = run(operation);
    const std::vector<Memory> wanted = run_on_reference(operation);
    ASSERT_EQ(got.size(), wanted.size());
    std::size_t tensor = 0;
    for (const device::NamedView& named : device::views_of(operation)) {
      // Fills and casts are exact; the others may sum in another order and use another exp().
      const bool exact = !named.written || std::holds_alternative<device::Fill>(operation) ||
                         std::holds_alternative<device::Cast>(operation);
      expect_near(
          named, got[tensor], wanted[tensor], exact ? 0 : 1000 * numerics::unit_roundoff(named.view->type));
      ++tensor;
    }
  }

  static void expect_near(const device::NamedView& named,
                          const Memory& got,
                          const Memory& wanted,
                          double tolerance) {
    const DataType type = named.view->type;
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t index = 0; index * element_bytes(type) < got.size(); ++index) {
      const double a = element(got, type, index);
      const double b = element(wanted, type, index);
      if (!(std::isnan(a) && std::isnan(b))) {
        ASSERT_NEAR(a, b, tolerance * (1 + std::abs(b))) << named.name << " at " << index;
      }
    }
  }
};

TEST_P(Operations, AgreeWithTheReference) {
  int ran = 0;
  std::string reasons;
  for (const DataType type : {DataType::f32, DataType::f64}) {
    for (const Layout& layout : kLayouts) {
      for (const Operation& operation : operations(type, layout)) {
        SCOPED_TRACE(device::to_string(operation) + " " + std::string(numerics::to_string(type)) + " index " +
                     std::to_string(operation.index()));
        const device::Support support = device().supports(operation);
        if (!support.ok) {
          ASSERT_FALSE(support.reason.empty());
          EXPECT_FALSE(device().launch(stream(), operation).ok());
          reasons += describe(support.reason) + "\n";
          continue;
        }
        ++ran;
        expect_agreement(operation);
      }
    }
  }
  EXPECT_GT(ran, 0) << reasons;
}

TEST_P(Operations, FillAndPoisonAreThere) {
  for (const DataType type : {DataType::f32, DataType::f64}) {
    for (const bool poison : {false, true}) {
      const device::Support support =
          device().supports(device::Fill{shaped(type, 3, 5, {}), numerics::Data::normal, 1, 1, poison});
      EXPECT_TRUE(support.ok) << describe(support.reason);  // no measurement without them
    }
  }
}

TEST_P(Operations, PoisonIsBitForBitThePattern) {
  device::Fill fill{shaped(DataType::f32, 5, 7, {2, 3}), numerics::Data::normal, 0, 1, true};
  const std::vector<Memory> result = run(fill);
  Memory wanted = initial(fill.out, 100);
  const float pattern = numerics::poison_f32();
  for (std::size_t row = 0; row < 5; ++row) {
    for (std::size_t column = 0; column < 7; ++column) {
      std::memcpy(wanted.data() + (2 + row * 10 + column) * sizeof pattern, &pattern, sizeof pattern);
    }
  }
  EXPECT_EQ(result.front(), wanted);
}

TEST_P(Operations, CeilingProbesRunInEveryVariantOrSayWhyNot) {
  for (const DataType type : {DataType::f32, DataType::f64}) {
    device::FmaPeak peak;
    peak.type = type;
    peak.flops = 1e7;
    std::vector<std::string> variants = {""};
    for (const device::Variant& variant : device().variants(peak)) {
      variants.push_back(variant.name);
    }
    for (const std::string& variant : variants) {
      peak.variant = variant;
      const device::Support support = device().supports(peak);
      if (support.ok) {
        launch(peak);
      } else {
        EXPECT_FALSE(support.reason.empty());
        EXPECT_FALSE(device().launch(stream(), peak).ok());
      }
    }
    peak.variant = "no_such_variant";
    EXPECT_FALSE(device().supports(peak).ok);
    peak.variant.clear();
    peak.flops = -1;
    EXPECT_FALSE(device().launch(stream(), peak).ok());
  }
}

/// a = b + scalar * c for some scalar, in every element.
TEST_P(Operations, TriadAddsAMultiple) {
  const TensorView vector = shaped(DataType::f64, 1, 10007, {});
  const device::MemoryTriad triad{vector, vector, vector};
  if (const device::Support support = device().supports(triad); !support.ok) {
    ASSERT_FALSE(support.reason.empty());
    GTEST_SKIP() << describe(support.reason);
  }
  const std::vector<Memory> result = run(triad);
  const auto scalar_at = [&](std::size_t index) {
    return (element(result[0], DataType::f64, index) - element(result[1], DataType::f64, index)) /
           element(result[2], DataType::f64, index);
  };
  for (std::size_t index = 0; index < 10007; ++index) {
    ASSERT_NEAR(
        scalar_at(index), scalar_at(0), 1e-9 * (1 + std::abs(1 / element(result[2], DataType::f64, index))));
  }
  EXPECT_NE(scalar_at(0), 0);
  EXPECT_EQ(result[0].size(), result[1].size());
  EXPECT_EQ(element(result[0], DataType::f64, 10008), element(initial(vector, 100), DataType::f64, 10008));
}

INSTANTIATE_TEST_SUITE_P(Device, Operations, testing::ValuesIn(all_devices()), target_name);

}  // namespace
}  // namespace jissoku::tests
