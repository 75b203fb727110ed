// Numbers for people and documents must not change with the user's locale. The locale is made here, since
// a plain machine has none with a decimal comma.
#include <clocale>
#include <locale>

#include <gtest/gtest.h>

#include "jissoku/core/catalogue.hpp"
#include "jissoku/core/units.hpp"

namespace jissoku::core {
namespace {

struct CommaAndDots : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// Both the C++ locale and, where one is installed, the C locale have a decimal comma.
class CommaLocale {
 public:
  CommaLocale() : before_(std::locale::global(std::locale(std::locale::classic(), new CommaAndDots))) {
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"}) {
      if (std::setlocale(LC_ALL, name) != nullptr) {
        return;
      }
    }
  }
  ~CommaLocale() {
    std::locale::global(before_);
    std::setlocale(LC_ALL, "C");
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;

 private:
  std::locale before_;
};

TEST(Locale, ChangesNoNumber) {
  const CommaLocale comma;
  EXPECT_EQ(format_time_ns(1.04e9), "1.04 s");
  EXPECT_EQ(format_rate_flops(141.7e9), "141.7 GFLOPS");
  EXPECT_EQ(format_bytes(67108864), "67.1 MB");
  EXPECT_EQ(format_percent(0.008), "0.8 %");
  EXPECT_EQ(format_ratio(1.519), "1.52x");
  EXPECT_EQ(format_integer(16777216), "16,777,216");
  EXPECT_EQ(format_number(1.5), "1.5");
  EXPECT_EQ(*parse_size("4096", "--n", 65536), 4096);
  const auto texts = Catalogue::parse(R"({"a.b": "{x} {y:plain}"})");
  ASSERT_TRUE(texts.ok());
  EXPECT_EQ(texts->render(message("a.b", {{"x", 1.5}, {"y", std::int64_t{12345}}})), "1.5 12345");
}

}  // namespace
}  // namespace jissoku::core
