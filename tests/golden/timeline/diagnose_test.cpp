// `jissoku diagnose` as people and scripts call it.
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "jissoku/core/text.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"
#include "support/trace_cases.hpp"
#include "support/trace_damage.hpp"

namespace jissoku::tests {
namespace {

std::string starved() {
  TraceFixture trace;
  add_scenario(trace, input_starvation());
  return trace.text();
}

Outcome run(const std::vector<std::string>& arguments, const std::string& columns = "100") {
  std::vector<std::string> all = {"diagnose"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_program({.program = JISSOKU_BINARY,
                      .arguments = all,
                      .environment = {"PATH=/usr/bin:/bin", "COLUMNS=" + columns}});
}

TEST(DiagnoseCommand, SaysCauseEvidenceAndRemedyAtAnyWidth) {
  const TemporaryFolder folder;
  const std::string path = folder.put("trace.json", starved());
  for (const char* columns : {"100", "40"}) {
    const Outcome outcome = run({path}, columns);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.standard_error;
    EXPECT_EQ(outcome.standard_error, "");
    std::istringstream lines(outcome.standard_output);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(core::display_width(line), std::stoi(columns)) << line;
    }
  }
  const std::string text = run({path}).standard_output;
  for (const char* part :
       {"Test GPU", "1. the input pipeline starves the GPU: 39.", "num_workers=4", "Look at"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(DiagnoseCommand, JsonHoldsTheContract) {
  const TemporaryFolder folder;
  const Outcome outcome = run({folder.put("trace.json", starved()), "--json", "-"});
  const auto json = nlohmann::json::parse(outcome.standard_output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << outcome.standard_output;
  EXPECT_EQ(json["verdict"], "input_starvation");
  EXPECT_EQ(json["devices"][0]["window_us"], 396000.0);
  EXPECT_EQ(json["devices"][0]["busy_us"], 240000.0);
  EXPECT_NEAR(json["devices"][0]["idle_percent"].get<double>(), 39.3939, 0.0001);
  const auto& finding = json["findings"][0];
  EXPECT_EQ(finding["cause"], "input_starvation");
  for (const char* key : {"share_percent", "evidence", "fix", "gain_upper_percent"}) {
    EXPECT_TRUE(finding.contains(key)) << key;
  }
  EXPECT_TRUE(json["advice"].is_array());
  EXPECT_TRUE(json["trust"].is_array());
}

TEST(DiagnoseCommand, ExitCodesForScripts) {
  const TemporaryFolder folder;
  const std::string path = folder.put("trace.json", starved());
  const std::string cut = folder.put("cut.json", truncated(starved(), 0.5));
  EXPECT_EQ(run({path, "--fail-on", "input_starvation"}).exit_code, 1);
  EXPECT_EQ(run({path, "--fail-on", "idle>39"}).exit_code, 1);
  EXPECT_EQ(run({path, "--fail-on", "idle>40,allocator"}).exit_code, 0);
  EXPECT_EQ(run({cut, "--fail-on", "idle>1"}).exit_code, 6);
  EXPECT_EQ(run({cut}).exit_code, 0);
  EXPECT_EQ(run({path, "--fail-on", "bad_luck"}).exit_code, 2);
  EXPECT_EQ(run({}).exit_code, 2);
  EXPECT_EQ(run({path, "--step", "7"}).exit_code, 2);
  EXPECT_EQ(run({path, "--gpu", "5"}).exit_code, 2);
  EXPECT_EQ(run({path, "--sort", "count"}).exit_code, 2);
  EXPECT_EQ(run({path, "--table", "operators", "--group-by-shape"}).exit_code, 2);
  EXPECT_EQ(run({folder.file("missing")}).exit_code, 4);
  EXPECT_EQ(run({path, "--export", "/missing/folder/x.json"}).exit_code, 5);
}

TEST(DiagnoseCommand, TablesPartsComparisonAndExport) {
  const TemporaryFolder folder;
  const std::string path = folder.put("trace.json", starved());
  for (const char* name :
       {"operators", "modules", "annotations", "kernels", "copies", "syncs", "launches", "steps"}) {
    EXPECT_EQ(run({path, "--table", name}).exit_code, 0) << name;
  }
  EXPECT_NE(run({path, "--table", "kernels"}).standard_output.find("elementwise_kernel"), std::string::npos);
  // The first 6 ms are all busy.
  EXPECT_NE(run({path, "--window", "0..6"}).standard_output.find("busy 100.0 %"), std::string::npos);
  TraceFixture better;
  add_scenario(better, healthy());
  const std::string other = folder.put("better.json", better.text());
  EXPECT_NE(run({path, "--compare", other}).standard_output.find("Gone"), std::string::npos);
  const std::string clean = folder.file("clean.json");
  EXPECT_EQ(run({path, "--export", clean, "--json", folder.file("a.json")}).exit_code, 0);
  EXPECT_EQ(run({clean, "--json", folder.file("b.json")}).exit_code, 0);
  const auto before = nlohmann::json::parse(folder.read("a.json"));
  const auto after = nlohmann::json::parse(folder.read("b.json"));
  EXPECT_EQ(before["findings"], after["findings"]);
  EXPECT_NE(run({"--explain"}).standard_output.find("threshold"), std::string::npos);
}

}  // namespace
}  // namespace jissoku::tests
