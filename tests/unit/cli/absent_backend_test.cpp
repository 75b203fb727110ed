#include "jissoku/cli/absent_backend.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace jissoku::cli {
namespace {

TEST(AbsentBackend, TellsAMissingDriverFromMissingSupport) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "absent_backend";
  std::filesystem::create_directories(folder);
  const auto reason = [&](const std::string& library) {
    return absent_backend("cuda", library, {"/nowhere", folder.string()}).list().reasons.at(0).id;
  };
  std::ofstream(folder / "libthere.so.1") << "x";
  EXPECT_EQ(reason("libthere.so.1"), "cli.backend_to_come");
  EXPECT_EQ(reason("libgone.so.1"), "cli.no_driver");
  std::filesystem::remove_all(folder);
}

TEST(AbsentBackend, OpensNothing) {
  const device::Backend backend = absent_backend("cuda", "libcuda.so.1", {});
  EXPECT_TRUE(backend.list().devices.empty());
  EXPECT_EQ(backend.open("cuda:0", {}).error().exit_code, core::ExitCode::unavailable);
}

}  // namespace
}  // namespace jissoku::cli
