// The plugin as built, in the program as built, on a machine that may have no GPU.
#include "jissoku/device/plugin.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/program.hpp"
#include "support/temporary_folder.hpp"
#include "texts.hpp"

namespace jissoku::backends::cuda {
namespace {

using testing::HasSubstr;
using testing::Not;

class CudaPlugin : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(JISSOKU_CUDA_PLUGIN).empty()) {
      GTEST_SKIP() << "this build has no CUDA plugin: see the configure summary";
    }
  }

  static device::Backend backend() {
    void* const handle = dlopen(JISSOKU_CUDA_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(handle, nullptr) << dlerror();
    const auto entry = reinterpret_cast<device::PluginEntry>(dlsym(handle, device::kPluginEntry));
    EXPECT_NE(entry, nullptr);
    device::Backend backend;
    entry()->make_backend(backend);
    return backend;
  }

  /// `jissoku devices` with these variables besides PATH.
  static tests::Outcome devices(std::vector<std::string> environment) {
    environment.emplace_back("PATH=/usr/bin:/bin");
    tests::Invocation invocation;
    invocation.program = JISSOKU_BINARY;
    invocation.arguments = {"devices"};
    invocation.environment = std::move(environment);
    return tests::run_program(invocation);
  }

  /// Texts as words, since the program breaks lines.
  static std::string unwrapped(const std::string& text) {
    std::string words;
    for (const char character : text) {
      const bool blank = character == ' ' || character == '\n';
      if (!blank || words.empty() || words.back() != ' ') {
        words += blank ? ' ' : character;
      }
    }
    return words;
  }
};

TEST_F(CudaPlugin, ListsDevicesOrSaysWhyThereAreNone) {
  const device::Backend cuda = backend();
  EXPECT_EQ(cuda.name, "cuda");
  const device::Listing listing = cuda.list();
  EXPECT_TRUE(!listing.devices.empty() || !listing.reasons.empty());
  for (const core::Message& reason : listing.reasons) {
    EXPECT_THAT(text_of(reason), Not(HasSubstr("?}")));
  }
  for (const device::Info& info : listing.devices) {
    EXPECT_TRUE(info.queued);
    EXPECT_FALSE(info.is_host);
    EXPECT_THAT(info.fingerprint, HasSubstr("GPU-"));
  }
}

TEST_F(CudaPlugin, OpensNoDeviceThatIsNotThere) {
  const device::Backend cuda = backend();
  for (const char* id : {"cuda:99", "cuda:", "cuda", "cuda:-1"}) {
    const auto opened = cuda.open(id, {});
    ASSERT_FALSE(opened.ok()) << id;
    EXPECT_EQ(opened.error().exit_code, core::ExitCode::unavailable);
    text_of(opened.error().message);
  }
}

TEST_F(CudaPlugin, NeedsNoLibraryOfTheDriver) {
  const tests::Outcome read = tests::run_program("/usr/bin/env", {"readelf", "-d", JISSOKU_CUDA_PLUGIN});
  if (read.exit_code != 0) {
    GTEST_SKIP() << "readelf is not installed";
  }
  EXPECT_THAT(read.standard_output, HasSubstr("NEEDED"));
  for (const char* library : {"libcuda", "libcublas", "libnvidia", "libnvrtc", "libcupti"}) {
    EXPECT_THAT(read.standard_output, Not(HasSubstr(library)));
  }
}

TEST_F(CudaPlugin, NamesAStubInPlaceOfTheDriver) {
  std::string stub;
  for (const char* folder : {"/usr/local/cuda/lib64/stubs", "/usr/lib/x86_64-linux-gnu/stubs"}) {
    const std::string file = std::string(folder) + "/libcuda.so";
    stub = stub.empty() && std::filesystem::exists(file) ? file : stub;
  }
  if (stub.empty()) {
    GTEST_SKIP() << "no stub of the driver here";
  }
  const tests::TemporaryFolder folder;
  std::filesystem::create_symlink(stub, folder.file("libcuda.so.1"));
  const tests::Outcome outcome = devices({"LD_LIBRARY_PATH=" + folder.path()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.standard_error;
  EXPECT_THAT(unwrapped(outcome.standard_output), HasSubstr("stub"));
  EXPECT_THAT(unwrapped(outcome.standard_output), HasSubstr("/stubs/libcuda.so"));
  EXPECT_THAT(unwrapped(outcome.standard_output), HasSubstr("LD_LIBRARY_PATH"));
}

TEST_F(CudaPlugin, ALibraryThatIsNoDriverIsAReason) {
  const tests::TemporaryFolder folder;
  folder.put("libcuda.so.1", "not an object file");
  const tests::Outcome outcome = devices({"LD_LIBRARY_PATH=" + folder.path()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.standard_error;
  EXPECT_THAT(unwrapped(outcome.standard_output), HasSubstr("cuda: a library could not be loaded"));
}

}  // namespace
}  // namespace jissoku::backends::cuda
