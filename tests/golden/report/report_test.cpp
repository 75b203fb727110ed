// The reports of the sample documents, as they are printed. JISSOKU_UPDATE_GOLDEN=1 rewrites the
// expected texts: read the difference before it is committed.
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jissoku/report/csv.hpp"
#include "jissoku/report/describe.hpp"
#include "jissoku/report/markdown.hpp"
#include "jissoku/report/text.hpp"
#include "support/message_catalogue.hpp"

namespace jissoku::report {
namespace {

using namespace jissoku::tests;

struct Golden {
  std::string file;
  std::function<std::string()> render;
};

std::string expected_path(const std::string& file) {
  return std::string(JISSOKU_SOURCE_DIR) + "/tests/golden/report/expected/" + file;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string text_of(const Document& document, int width, bool utf8, bool color) {
  return render_text(document, sample_catalogue(), {width, utf8, color, "out/run.json"});
}

std::vector<Golden> goldens() {
  std::vector<Golden> out;
  for (const SampleDocument& sample : sample_documents()) {
    const Document document = sample.document;
    for (const int width : {100, 80, 40}) {
      out.push_back({sample.name + "_" + std::to_string(width) + ".txt",
                     [=] { return text_of(document, width, true, false); }});
    }
  }
  const Document statuses = statuses_document();
  for (const int width : {100, 80, 40}) {
    const std::string suffix = std::to_string(width) + ".txt";
    out.push_back({"statuses_color_" + suffix, [=] { return text_of(statuses, width, true, true); }});
    out.push_back({"statuses_ascii_" + suffix, [=] { return text_of(statuses, width, false, false); }});
    out.push_back(
        {"hostile_ascii_" + suffix, [=] { return text_of(hostile_document(), width, false, false); }});
  }
  for (const char* name : {"statuses", "devices", "run", "hostile"}) {
    for (const SampleDocument& sample : sample_documents()) {
      if (sample.name == name) {
        out.push_back({sample.name + ".md.txt", [document = sample.document] {
                         return render_markdown(document, sample_catalogue());
                       }});
      }
    }
  }
  out.push_back({"columns_80.txt", [] { return describe_columns(sample_catalogue(), 80); }});
  return out;
}

TEST(ReportGolden, IsAsExpected) {
  const bool update = std::getenv("JISSOKU_UPDATE_GOLDEN") != nullptr;
  for (const Golden& golden : goldens()) {
    const std::string actual = golden.render();
    const std::string path = expected_path(golden.file);
    if (update) {
      std::ofstream(path, std::ios::binary) << actual;
      continue;
    }
    EXPECT_EQ(actual, read(path)) << golden.file;
  }
}

}  // namespace
}  // namespace jissoku::report
