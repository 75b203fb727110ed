#include "jissoku/backends/cuda/rules/reasons.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jissoku/backends/cuda/rules/errors.hpp"
#include "texts.hpp"

namespace jissoku::backends::cuda {
namespace {

using testing::HasSubstr;

/// A machine with a driver in order that finds no device.
Facts no_device() {
  Facts facts;
  facts.driver_library = "/usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06";
  facts.kernel_driver = "580.65.06";
  facts.device_nodes = 1;
  facts.runtime_version = 13000;
  facts.driver_version = 13000;
  facts.count_error = error_code::kNoDevice;
  facts.count_error_text = "no CUDA-capable device is detected";
  return facts;
}

Facts no_library() {
  Facts facts;
  facts.driver_library_error = "libcuda.so.1: cannot open shared object file: No such file or directory";
  facts.runtime_version = 13000;
  return facts;
}

std::string reason(const Facts& facts) {
  const std::vector<core::Message> reasons = reasons_of(facts);
  EXPECT_EQ(reasons.size(), 1U);
  text_of(reasons.at(0));
  return reasons.at(0).id;
}

TEST(Reasons, NoneWhereThereAreDevices) {
  Facts facts = no_device();
  facts.count_error = 0;
  facts.device_count = 2;
  EXPECT_TRUE(reasons_of(facts).empty());
}

TEST(Reasons, OfAMachineWithoutTheDriversLibrary) {
  Facts facts = no_library();
  EXPECT_EQ(reason(facts), "cuda.no_driver_library");
  facts.pci_gpus = 1;
  EXPECT_EQ(reason(facts), "cuda.gpu_without_driver");
  facts.kernel_driver = "580.65.06";  // as in a container that was started without the GPU
  EXPECT_EQ(reason(facts), "cuda.driver_outside");
  EXPECT_THAT(text_of(reasons_of(facts).at(0)), HasSubstr("580.65.06"));
}

TEST(Reasons, OfALibraryThatDoesNotLoad) {
  Facts facts = no_library();
  facts.driver_library_error = "/usr/lib/libcuda.so.1: wrong ELF class: ELFCLASS32";
  facts.pci_gpus = 1;
  EXPECT_EQ(reason(facts), "cuda.driver_unloadable");
  EXPECT_THAT(text_of(reasons_of(facts).at(0)), HasSubstr("ELFCLASS32"));
}

TEST(Reasons, OfAStubByItsErrorOrByItsFolder) {
  Facts facts = no_device();
  facts.count_error = error_code::kStubLibrary;
  EXPECT_EQ(reason(facts), "cuda.stub_driver");
  facts = no_device();
  facts.driver_library = "/usr/local/cuda-13.0/lib/stubs/libcuda.so";
  EXPECT_EQ(reason(facts), "cuda.stub_driver");
  EXPECT_THAT(text_of(reasons_of(facts).at(0)), HasSubstr(facts.driver_library));
}

TEST(Reasons, OfADriverThatIsTooOldNameBothVersionsAndTheOneToInstall) {
  Facts facts = no_device();
  facts.count_error = error_code::kInsufficientDriver;
  facts.driver_version = 12040;
  facts.kernel_driver = "550.54.15";
  EXPECT_EQ(reason(facts), "cuda.driver_too_old");
  const std::string text = text_of(reasons_of(facts).at(0));
  for (const char* part : {"550.54.15", "12.4", "13.0", "580"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  facts.driver_version = 0;
  EXPECT_EQ(reason(facts), "cuda.driver_silent");
}

TEST(Reasons, OfNoDeviceFromTheMostToTheLeastParticular) {
  Facts facts = no_device();
  EXPECT_EQ(reason(facts), "cuda.no_device");
  facts.device_nodes = 0;
  EXPECT_EQ(reason(facts), "cuda.no_device_nodes");
  facts.mig_gpus = 1;
  EXPECT_EQ(reason(facts), "cuda.mig_empty");
  facts.visible_devices = "";
  EXPECT_EQ(reason(facts), "cuda.hidden");
  facts.forbidden_nodes = {"/dev/nvidia0", "/dev/nvidiactl"};
  EXPECT_EQ(reason(facts), "cuda.no_permission");
  EXPECT_THAT(text_of(reasons_of(facts).at(0)), HasSubstr("/dev/nvidia0, /dev/nvidiactl"));
}

TEST(Reasons, NoDeviceIsTheSameWhetherErrorOrNumber) {
  for (const char* visible : {"", "-1", "7"}) {
    Facts facts = no_device();
    facts.count_error = 0;
    facts.visible_devices = visible;
    EXPECT_EQ(reason(facts), "cuda.hidden");
  }
}

TEST(Reasons, OfErrorsWithTextsOfTheirOwn) {
  Facts facts = no_device();
  const std::pair<int, const char*> expected[] = {{error_code::kInitialization, "cuda.initialisation"},
                                                  {error_code::kUnknown, "cuda.initialisation"},
                                                  {error_code::kOperatingSystem, "cuda.initialisation"},
                                                  {error_code::kSystemNotReady, "cuda.system_not_ready"},
                                                  {error_code::kSystemDriverMismatch, "cuda.driver_mismatch"},
                                                  {error_code::kMpsConnection, "cuda.mps"},
                                                  {error_code::kDevicesUnavailable, "cuda.busy"},
                                                  {12345, "cuda.call_failed"}};
  for (const auto& [code, id] : expected) {
    facts.count_error = code;
    EXPECT_EQ(reason(facts), id) << code;
  }
}

/// Every combination of what can be observed.
TEST(Reasons, EveryCombinationGivesOneReasonWithAText) {
  const Facts bases[] = {no_library(), no_device()};
  std::set<std::string> seen;
  for (const Facts& base : bases) {
    for (const int code : {0, 3, 34, 35, 46, 100, 304, 802, 803, 805, 999, 777}) {
      for (unsigned bits = 0; bits < 128; ++bits) {
        const auto has = [bits](unsigned bit) { return ((bits >> bit) & 1U) != 0; };
        Facts facts = base;
        facts.count_error = code;
        facts.pci_gpus = has(0) ? 1 : 0;
        facts.kernel_driver = has(1) ? "580.65.06" : "";
        facts.device_nodes = has(2) ? 1 : 0;
        facts.mig_gpus = has(3) ? 1 : 0;
        facts.driver_version = has(4) ? 12020 : 0;
        if (has(5)) {
          facts.visible_devices = "";
        }
        if (has(6)) {
          facts.forbidden_nodes = {"/dev/nvidia0"};
        }
        seen.insert(reason(facts));
      }
    }
  }
  EXPECT_EQ(seen.size(), 17U);
}

}  // namespace
}  // namespace jissoku::backends::cuda
