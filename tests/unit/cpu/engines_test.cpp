// Finding, trying and loading libraries: those of this machine, and some that pretend.
#include "jissoku/backends/cpu/engines.hpp"

#include <algorithm>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jissoku/backends/cpu/affinity.hpp"
#include "jissoku/backends/cpu/environment.hpp"
#include "jissoku/backends/cpu/library_places.hpp"
#include "plain_product.hpp"
#include "support/library_folder.hpp"

namespace jissoku::backends::cpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tests::LibraryFolder;
using tests::PlainProduct;

TEST(LibraryFolders, ThoseOfTheVariableComeFirst) {
  const std::vector<std::string> system = library_folders(nullptr);
  ASSERT_FALSE(system.empty());
  std::vector<std::string> expected = {"/a", "/b c"};
  expected.insert(expected.end(), system.begin(), system.end());
  EXPECT_EQ(library_folders("/a::/b c:"), expected);
  EXPECT_EQ(library_folders(""), system);
}

TEST(LibraryFolders, OnlyLeavesTheSystemsOut) {
  EXPECT_THAT(library_folders("only:/a:/b"), ElementsAre("/a", "/b"));
  EXPECT_THAT(library_folders("only:"), ElementsAre());
}

TEST(FindLibrary, TakesTheFirstNameOfTheFirstFolder) {
  const LibraryFolder one;
  const LibraryFolder two;
  one.write("b", "");
  two.write("a", "");
  two.write("b", "");
  EXPECT_EQ(find_library({one.path(), two.path()}, {"a", "b"}), one.path() + "/b");
  EXPECT_EQ(find_library({two.path(), one.path()}, {"a", "b"}), two.path() + "/a");
  EXPECT_EQ(find_library({one.path()}, {"c"}), "");
}

const core::Message& reason_of(const FoundEngines& found, const std::string& name) {
  static const core::Message kNone;
  for (const Unusable& engine : found.unusable) {
    if (engine.name == name) {
      return engine.reason;
    }
  }
  return kNone;
}

/// The sentence inside "cannot be used: ...".
core::Message why_of(const FoundEngines& found, const std::string& name) {
  const auto* why = std::get_if<std::vector<core::Message>>(reason_of(found, name).find("why"));
  return why != nullptr && why->size() == 1 ? why->front() : core::Message{};
}

FoundEngines load_from(const LibraryFolder& folder) {
  return load_engines({{folder.path()}, 1, {}});
}

TEST(LoadEngines, NamesPackagesForWhatIsNotInstalled) {
  const LibraryFolder empty;
  const FoundEngines found = load_from(empty);
  EXPECT_TRUE(found.usable.empty());
  EXPECT_EQ(found.unusable.size(), known_libraries().size());
  EXPECT_EQ(
      reason_of(found, "openblas"),
      core::message("cpu.engine_not_installed",
                    {{"engine", std::string("OpenBLAS")}, {"package", std::string("libopenblas0-openmp")}}));
}

TEST(LoadEngines, ATextFileIsAReason) {
  const LibraryFolder folder;
  folder.write("libopenblas.so.0", "this is no library\n");
  const FoundEngines found = load_from(folder);
  EXPECT_TRUE(found.usable.empty());
  EXPECT_EQ(why_of(found, "openblas").id, "core.library_not_loaded");
}

TEST(LoadEngines, ALibraryWithoutTheFunctionsIsAReason) {
  const LibraryFolder folder;
  if (!folder.compile("/dev/null", "libblis.so.4", "-x c")) {
    GTEST_SKIP() << "no C compiler";
  }
  EXPECT_EQ(why_of(load_from(folder), "blis").id, "cpu.library_lacks");
}

std::int64_t address_space_in_use() {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

// The real library would ask for its buffers forever as it is loaded.
TEST(LoadEngines, OpenBlasNeedsAddressSpaceForItsThreads) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer needs all address space";
#endif
  const LibraryFolder folder;
  if (!folder.pretend_openblas("")) {
    GTEST_SKIP() << "no C compiler";
  }
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit small = before;
  small.rlim_cur = static_cast<rlim_t>(address_space_in_use() + (std::int64_t{512} << 20));
  ASSERT_EQ(setrlimit(RLIMIT_AS, &small), 0);
  const FoundEngines many = load_engines({{folder.path()}, 64, {}});
  const FoundEngines one = load_from(folder);
  setrlimit(RLIMIT_AS, &before);
  EXPECT_EQ(why_of(many, "openblas").id, "cpu.no_address_space");
  EXPECT_EQ(one.usable.size(), 1U);
}

TEST(LoadEngines, UsesWhatPassesItsTrial) {
  const LibraryFolder folder;
  if (!folder.pretend_openblas("")) {
    GTEST_SKIP() << "no C compiler";
  }
  const FoundEngines found = load_from(folder);
  ASSERT_EQ(found.usable.size(), 1U);
  const device::Variant& variant = found.usable.front()->variant();
  EXPECT_EQ(variant.name, "openblas");
  EXPECT_EQ(variant.library, "OpenBLAS 9.8.7");
  EXPECT_EQ(variant.file, std::filesystem::canonical(folder.path() + "/libopenblas.so.0"));
  EXPECT_EQ(variant.threads, 1);
  EXPECT_EQ(variant.pinning, "");  // it has no threads that we could pin
}

TEST(LoadEngines, ACrashInTheTrialIsAReason) {
  const LibraryFolder folder;
  if (!folder.pretend_openblas("-DCRASH")) {
    GTEST_SKIP() << "no C compiler";
  }
  const FoundEngines found = load_from(folder);
  EXPECT_TRUE(found.usable.empty());
  EXPECT_EQ(why_of(found, "openblas"),
            core::message("cpu.trial_crashed", {{"signal", std::string("SIGILL")}}));
}

TEST(LoadEngines, AWrongResultIsAReason) {
  const LibraryFolder folder;
  if (!folder.pretend_openblas("-DWRONG")) {
    GTEST_SKIP() << "no C compiler";
  }
  EXPECT_EQ(why_of(load_from(folder), "openblas").id, "cpu.trial_wrong");
}

class CoreTypeTest : public testing::Test {
 protected:
  /// The one engine of a library that does not know this CPU.
  void load(const std::string& options) {
    if (cpu_isa() != Isa::avx512) {
      GTEST_SKIP() << "this CPU has no AVX-512";
    }
    if (!folder_.pretend_openblas("-DOLD_CPU " + options)) {
      GTEST_SKIP() << "no C compiler";
    }
    found_ = load_from(folder_);
    ASSERT_EQ(found_.usable.size(), 1U);
  }
  const device::Variant& variant() const { return found_.usable.front()->variant(); }

  ScopedEnvironment nobody_set_it_{{{"OPENBLAS_CORETYPE", std::nullopt}}};
  LibraryFolder folder_;
  FoundEngines found_;
};

core::Message chosen(const std::string& core_type) {
  return core::message("cpu.openblas_coretype",
                       {{"kernel", std::string("Prescott")}, {"core_type", core_type}});
}

TEST_F(CoreTypeTest, ABetterKernelIsChosenAndSaid) {
  load("");
  if (!IsSkipped()) {
    EXPECT_EQ(variant().kernel, "SkylakeX");
    EXPECT_THAT(variant().notes, ElementsAre(chosen("SkylakeX")));
    EXPECT_EQ(std::getenv("OPENBLAS_CORETYPE"), nullptr);  // not left behind
  }
}

TEST_F(CoreTypeTest, TheNextOneIsTakenIfTheFirstCrashes) {
  load("-DCRASH_SKYLAKEX");
  if (!IsSkipped()) {
    EXPECT_EQ(variant().kernel, "Haswell");
    ASSERT_EQ(variant().notes.size(), 2U);
    EXPECT_EQ(variant().notes[0], chosen("Haswell"));
    EXPECT_EQ(variant().notes[1].id, "cpu.kernel_below_cpu");
  }
}

TEST_F(CoreTypeTest, TheUsersChoiceStands) {
  const ScopedEnvironment users({{"OPENBLAS_CORETYPE", std::string("Nehalem")}});
  load("");
  if (!IsSkipped()) {
    EXPECT_EQ(variant().kernel, "Nehalem");
    ASSERT_EQ(variant().notes.size(), 2U);
    EXPECT_EQ(variant().notes[0].id, "cpu.openblas_coretype_users");
    EXPECT_EQ(variant().notes[1].id, "cpu.kernel_below_cpu");
  }
}

/// The libraries that are installed here, loaded once, with two threads where two CPUs are allowed.
const FoundEngines& installed() {
  static const FoundEngines found = [] {
    EngineSearch search;
    search.folders = library_folders(nullptr);
    search.threads = 2;
    search.cpus = spread_over_cores(thread_cpus(), 2, core_of_cpu);
    return load_engines(search);
  }();
  return found;
}

class InstalledEngine : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    for (const auto& engine : installed().usable) {
      if (engine->variant().name == GetParam()) {
        engine_ = engine.get();
      }
    }
    if (engine_ == nullptr) {
      ASSERT_FALSE(reason_of(installed(), GetParam()).empty());
      GTEST_SKIP() << reason_of(installed(), GetParam()).id;
    }
  }

  LibraryEngine* engine_ = nullptr;
};

TEST_P(InstalledEngine, SaysWhatItIs) {
  const device::Variant& variant = engine_->variant();
  EXPECT_THAT(variant.library, testing::ContainsRegex(" [0-9]+\\.[0-9]"));
  EXPECT_TRUE(std::filesystem::exists(variant.file));
  EXPECT_EQ(variant.threads, 2);
}

TEST_P(InstalledEngine, IsExactOnIntegers) {
  for (const auto& [m, n, k] : {std::array{1, 1, 1},
                                std::array{1, 40, 30},
                                std::array{40, 1, 30},
                                std::array{17, 33, 5},
                                std::array{70, 65, 129},
                                std::array{200, 3, 64}}) {
    for (int form = 0; form < 4; ++form) {
      for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, std::pair{-2.0, 0.5}}) {
        EXPECT_EQ(PlainProduct<float>(m, n, k, form, alpha, beta, 3).check(*engine_), "");
        EXPECT_EQ(PlainProduct<double>(m, n, k, form, alpha, beta, 3).check(*engine_), "");
      }
    }
  }
}

TEST_P(InstalledEngine, TakesOneRowWithAnyLeadingDimension) {
  const PlainProduct<float> plain(1, 6, 4, 0, 1, 0, 0);
  std::vector<float> out = plain.c;
  Product product = plain.product(out.data());
  product.lda = product.ldc = 0;  // a single row has no next one
  ASSERT_TRUE(engine_->supports(product).ok);
  ASSERT_TRUE(engine_->multiply(product));
  EXPECT_EQ(plain.difference(out), "");
}

TEST_P(InstalledEngine, RefusesWhatItCannotDo) {
  Product product;
  product.type = numerics::DataType::f16;
  EXPECT_EQ(engine_->supports(product).reason.id, "cpu.engine_type");
  product.type = numerics::DataType::f32;
  product.m = product.n = product.k = product.ldb = product.ldc = 1;
  product.lda = std::int64_t{1} << 31;
  const device::Support support = engine_->supports(product);
  EXPECT_TRUE(support.ok || support.reason.id == "cpu.engine_integers");
  EXPECT_EQ(support.ok, std::string(GetParam()) == "onednn");  // which counts in 64 bits
}

INSTANTIATE_TEST_SUITE_P(All,
                         InstalledEngine,
                         testing::Values("onednn", "openblas", "blis", "mkl"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(InstalledEngines, LoadingLeavesTheCallersCpusAlone) {
  const std::vector<int> before = thread_cpus();
  installed();
  EXPECT_EQ(thread_cpus(), before);
}

}  // namespace
}  // namespace jissoku::backends::cpu
