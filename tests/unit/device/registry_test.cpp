#include <gtest/gtest.h>

#include "jissoku/device/backend.hpp"

namespace jissoku::tests {
namespace {

using core::ExitCode;
using device::Backend;
using device::Info;
using device::Listing;
using device::Registry;

std::string text_of(const core::Error& error, const std::string& argument) {
  const core::Value* value = error.message.find(argument);
  return value == nullptr ? "" : std::get<std::string>(*value);
}

Info info_of(const std::string& id, std::vector<std::string> variants = {}) {
  Info info;
  info.id = id;
  info.variant_names = std::move(variants);
  return info;
}

/// Lists these; opening fails with `test.opened`, naming the id that arrived.
Backend listing_backend(const std::string& name, const Listing& listing) {
  Backend backend;
  backend.name = name;
  backend.list = [listing] { return listing; };
  backend.open = [](const std::string& id,
                    const device::OpenOptions&) -> core::Result<std::unique_ptr<device::Device>> {
    return core::make_error(ExitCode::unavailable, "test.opened", {{"id", id}});
  };
  return backend;
}

Registry registry() {
  Registry registry;
  registry.add(listing_backend("cpu", {{info_of("cpu", {"openblas", "own"})}, {}}));
  registry.add(
      listing_backend("opencl", {{info_of("opencl:0"), info_of("opencl:1"), info_of("opencl:1:sub")}, {}}));
  registry.add(listing_backend("cuda", {{}, {core::message("test.no_driver")}}));
  registry.add(listing_backend("model", {{}, {}}));
  return registry;
}

TEST(Registry, SplitsASelectorIntoDeviceAndVariant) {
  const std::vector<std::vector<std::string>> cases = {{"cpu", "cpu", ""},
                                                       {"cpu:openblas", "cpu", "openblas"},
                                                       {"opencl:0", "opencl:0", ""},
                                                       {"opencl:0:own", "opencl:0", "own"},
                                                       {"opencl:1:sub", "opencl:1:sub", ""},
                                                       {"opencl:1:sub:own", "opencl:1:sub", "own"},
                                                       {"opencl:1:subway", "opencl:1", "subway"}};
  for (const auto& one : cases) {
    const auto selection = registry().parse(one[0]);
    ASSERT_TRUE(selection.ok()) << one[0];
    EXPECT_EQ(selection->id, one[1]) << one[0];
    EXPECT_EQ(selection->variant, one[2]) << one[0];
  }
}

TEST(Registry, SuggestsTheNearestNameForAnUnknownBackend) {
  const auto near = registry().parse("opncl:0");
  ASSERT_FALSE(near.ok());
  EXPECT_EQ(near.error().exit_code, ExitCode::usage);
  EXPECT_EQ(near.error().message.id, "device.unknown_near");
  EXPECT_EQ(text_of(near.error(), "near"), "opencl");
  EXPECT_EQ(text_of(near.error(), "text"), "opncl");
  EXPECT_EQ(text_of(near.error(), "known"), "cpu, opencl, cuda, model");

  const auto far = registry().parse("quantum_annealer");
  ASSERT_FALSE(far.ok());
  EXPECT_EQ(far.error().exit_code, ExitCode::usage);
  EXPECT_EQ(far.error().message.id, "device.unknown");
}

TEST(Registry, RefusesUnfinishedSelectors) {
  for (const char* selector : {"", ":", ":0", "cpu:", "opencl:0:"}) {
    const auto selection = registry().parse(selector);
    ASSERT_FALSE(selection.ok()) << selector;
    EXPECT_EQ(selection.error().exit_code, ExitCode::usage) << selector;
    EXPECT_EQ(selection.error().message.id, "device.incomplete") << selector;
  }
}

TEST(Registry, NamesTheDevicesThereAreForOneThatIsNot) {
  for (const char* selector : {"opencl", "opencl:2", "opencl:01", "opencl:10"}) {
    const auto selection = registry().parse(selector);
    ASSERT_FALSE(selection.ok()) << selector;
    EXPECT_EQ(selection.error().exit_code, ExitCode::unavailable);
    EXPECT_EQ(selection.error().message.id, "device.no_such_device");
    EXPECT_EQ(text_of(selection.error(), "known"), "opencl:0, opencl:1, opencl:1:sub");
  }
}

TEST(Registry, QuotesTheBackendsReasonsWhereThereIsNoDevice) {
  const auto selection = registry().parse("cuda:0");
  ASSERT_FALSE(selection.ok());
  EXPECT_EQ(selection.error().exit_code, ExitCode::unavailable);
  EXPECT_EQ(selection.error().message.id, "device.none_because");
  const core::Value* reasons = selection.error().message.find("reasons");
  ASSERT_NE(reasons, nullptr);
  EXPECT_EQ(std::get<std::vector<core::Message>>(*reasons).at(0).id, "test.no_driver");

  EXPECT_EQ(registry().parse("model:t4").error().message.id, "device.none_found");
}

TEST(Registry, ChecksVariantsWhereTheirNamesAreKnown) {
  const auto selection = registry().parse("cpu:nosuch");
  ASSERT_FALSE(selection.ok());
  EXPECT_EQ(selection.error().exit_code, ExitCode::unavailable);
  EXPECT_EQ(selection.error().message.id, "device.no_such_variant");
  EXPECT_EQ(text_of(selection.error(), "known"), "openblas, own");
  EXPECT_EQ(text_of(selection.error(), "variant"), "nosuch");
  EXPECT_TRUE(registry().parse("opencl:0:anything").ok());  // known only once it is open
}

TEST(Registry, OpensTheDeviceOfThatId) {
  const auto opened = registry().open("opencl:1", {});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().message.id, "test.opened");
  EXPECT_EQ(text_of(opened.error(), "id"), "opencl:1");
}

TEST(Registry, OpensOnlyWhatIsListed) {
  EXPECT_EQ(registry().open("opencl:7", {}).error().message.id, "device.no_such_device");
  EXPECT_EQ(registry().open("opencl:1:own", {}).error().message.id, "device.no_such_device");
  EXPECT_EQ(registry().open("cuda:0", {}).error().message.id, "device.none_because");
  EXPECT_EQ(registry().open("gpu", {}).error().exit_code, ExitCode::usage);
}

TEST(Registry, KeepsBackendsInOrder) {
  const Registry kept = registry();
  ASSERT_EQ(kept.backends().size(), 4U);
  EXPECT_EQ(kept.backends()[0].name, "cpu");
  EXPECT_EQ(kept.backends()[3].name, "model");
}

}  // namespace
}  // namespace jissoku::tests
