#include "jissoku/cli/plugin_backend.hpp"

#include <gtest/gtest.h>

#include "support/library_folder.hpp"

namespace jissoku::cli {
namespace {

class PluginBackend : public testing::Test {
 protected:
  std::string reason(const std::string& driver) {
    const device::Backend backend =
        plugin_backend("cuda", driver, {"/nowhere", folder_.path()}, {"/nowhere", folder_.path()});
    EXPECT_TRUE(backend.list().devices.empty());
    EXPECT_EQ(backend.open("cuda:0", {}).error().exit_code, core::ExitCode::unavailable);
    return backend.list().reasons.at(0).id;
  }
  bool strange_plugin(const std::string& options) {
    return folder_.compile(
        std::string(JISSOKU_SOURCE_DIR) + "/tests/unit/cli/strange_plugin.c", "jissoku_cuda.so", options);
  }

  tests::LibraryFolder folder_;
};

TEST_F(PluginBackend, TellsAMissingDriverFromAMissingPlugin) {
  folder_.write("libthere.so.1", "x");
  EXPECT_EQ(reason("libthere.so.1"), "cli.no_plugin");
  EXPECT_EQ(reason("libgone.so.1"), "cli.no_driver");
}

TEST_F(PluginBackend, SaysWhyAFileIsNoPlugin) {
  folder_.write("jissoku_cuda.so", "not an object file");
  EXPECT_EQ(reason("libcuda.so.1"), "cli.plugin_unloadable");
}

TEST_F(PluginBackend, RefusesALibraryThatIsNoPlugin) {
  if (!strange_plugin("-DSTRANGER")) {
    GTEST_SKIP() << "no C compiler here";
  }
  EXPECT_EQ(reason("libcuda.so.1"), "cli.plugin_unloadable");
}

TEST_F(PluginBackend, RefusesAnotherVersionWithoutCallingIt) {
  if (!strange_plugin("")) {
    GTEST_SKIP() << "no C compiler here";
  }
  EXPECT_EQ(reason("libcuda.so.1"), "cli.plugin_other_version");
}

}  // namespace
}  // namespace jissoku::cli
