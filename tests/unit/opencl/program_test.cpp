// The program on machines without OpenCL, or with a broken one.
#include "support/program.hpp"

#include <chrono>

#include "jissoku/backends/opencl/discovery.hpp"
#include "support/temporary_folder.hpp"

namespace jissoku::backends::opencl {
namespace {

tests::Outcome run(const std::vector<std::string>& arguments, const std::string& vendors) {
  tests::Invocation invocation;
  invocation.program = JISSOKU_BINARY;
  invocation.arguments = arguments;
  invocation.environment.push_back("OCL_ICD_VENDORS=" + vendors);
  invocation.environment.push_back("JISSOKU_LIBRARY_PATH=only:/nowhere");  // no engines: quick
  return tests::run_program(invocation);
}

TEST(OpenClProgram, WithoutADriverSaysWhatIsMissing) {
  const tests::TemporaryFolder empty;
  const tests::Outcome outcome = run({"matmul", "--n", "64", "--device", "opencl:0"}, empty.path());
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.standard_error.find("no OpenCL driver is installed"), std::string::npos)
      << outcome.standard_error;
}

TEST(OpenClProgram, NamesTheFileOfABrokenDriver) {
  const tests::TemporaryFolder folder;
  folder.put("broken.icd", "/no/such/libbroken.so\n");
  const tests::Outcome outcome = run({"matmul", "--n", "64", "--device", "opencl:0"}, folder.path());
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.standard_error.find("broken.icd"), std::string::npos) << outcome.standard_error;
}

TEST(OpenClProgram, ListsDevicesWithoutADriver) {
  const tests::TemporaryFolder empty;
  const tests::Outcome outcome = run({"devices"}, empty.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.standard_error;
  EXPECT_NE(outcome.standard_output.find("OpenCL"), std::string::npos) << outcome.standard_output;
}

// Whatever the compiler has to say: what goes to standard error is ours.
TEST(OpenClProgram, CompilesInSilence) {
  const tests::TemporaryFolder cache;
  tests::Invocation invocation;
  invocation.program = JISSOKU_BINARY;
  invocation.arguments = {"devices"};
  invocation.environment = {
      "PATH=/usr/bin:/bin", "POCL_CACHE_DIR=" + cache.path(), "JISSOKU_LIBRARY_PATH=only:/nowhere"};
  EXPECT_EQ(tests::run_program(invocation).standard_error, "");
}

TEST(OpenClProgram, RefusesADeviceThatIsNotThere) {
  const tests::Outcome outcome = run({"matmul", "--n", "64", "--device", "opencl:99"}, vendors_folder());
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.standard_error.find("opencl:99"), std::string::npos) << outcome.standard_error;
}

TEST(OpenClDiscovery, ReadsWhatTheLoaderReads) {
  const tests::TemporaryFolder folder;
  folder.put("a.icd", "/no/such/libone.so\n");
  folder.put("b.icd", "\n");
  folder.put("c.icd", "libc.so.6\n");  // loads, whatever it is
  folder.put("notes.txt", "/no/such/library.so\n");
  EXPECT_EQ(broken_drivers(folder.path()).size(), 2U);
  EXPECT_EQ(broken_drivers(folder.file("a.icd")).size(), 1U);
  EXPECT_TRUE(broken_drivers(folder.file("c.icd")).empty());
  EXPECT_TRUE(broken_drivers("/no/such/folder").empty());
}

TEST(OpenClDiscovery, IsKept) {
  EXPECT_EQ(&discover(), &discover());
  for (const FoundDevice& found : discover().devices) {
    EXPECT_EQ(found.id.rfind("opencl:", 0), 0U);
  }
}

}  // namespace
}  // namespace jissoku::backends::opencl
