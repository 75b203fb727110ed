// `jissoku diagnose` as people and scripts call it.
#include <algorithm>
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

TEST(DiagnoseCommand, ATraceWithoutGpuWorkIsNothingToDiagnose) {
  const TemporaryFolder folder;
  const std::string path = folder.put("cpu.json",
                                      R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm",
                                          "pid": 1, "tid": 1, "ts": 10, "dur": 5}]})");
  const Outcome outcome = run({path});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_NE(outcome.standard_output.find("No GPU work recorded"), std::string::npos)
      << outcome.standard_output;
  EXPECT_EQ(run({path, "--fail-on", "idle>50"}).exit_code, 6);
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

TEST(DiagnoseCommand, NoOutputReplacesATraceThatIsRead) {
  const TemporaryFolder folder;
  const std::string path = folder.put("trace.json", starved());
  const std::string other = folder.put("other.json", starved());
  for (const char* flag : {"--export", "--json"}) {
    EXPECT_EQ(run({path, flag, path}).exit_code, 2) << flag;
    EXPECT_EQ(run({path, "--compare", other, flag, other}).exit_code, 2) << flag;
    EXPECT_EQ(run({folder.path(), flag, other}).exit_code, 2) << flag;
  }
  EXPECT_EQ(folder.read("trace.json"), starved());
  EXPECT_EQ(folder.read("other.json"), starved());
}

TEST(DiagnoseCommand, NoFlagIsIgnored) {
  const TemporaryFolder folder;
  const std::string path = folder.put("trace.json", starved());
  const std::string other = folder.put("other.json", starved());
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{path, "--table", "kernels", "--sort", "count"},
                                             {path, "--table", "kernels", "--group-by-shape"},
                                             {path, "--table", "kernels", "--compare", other},
                                             {path, "--step", "1", "--window", "0..1"},
                                             {path, "--json", "-", "--export", "-"},
                                             {path, "--fail-on", "idle>101"},
                                             {path, "--fail-on", "idle>-1"},
                                             {path, "--window", "-5..-1"},
                                             {path, "--window", "1e300..2e300"},
                                             {path, other, "--export", folder.file("x.json")},
                                             {path, other, "--compare", other},
                                             {path, "--compare", folder.path()}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments[1] << " " << arguments.back();
    EXPECT_EQ(std::count(outcome.standard_error.begin(), outcome.standard_error.end(), '\n'), 1);
  }
}

TEST(DiagnoseCommand, StandardOutputHoldsOneThing) {
  const TemporaryFolder folder;
  const std::string path = folder.put("trace.json", starved());
  const auto json = nlohmann::json::parse(
      run({path, "--json", "-", "--explain", "--compare", path}).standard_output, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["compare"]["verdict"], "input_starvation");
  const auto trace = nlohmann::json::parse(run({path, "--export", "-"}).standard_output, nullptr, false);
  ASSERT_TRUE(trace.is_object());
  EXPECT_TRUE(trace.contains("traceEvents"));
}

TEST(DiagnoseCommand, ATraceBesideItselfHasNotChanged) {
  const TemporaryFolder folder;
  const std::string path = folder.put("trace.json", starved());
  const std::string text = run({path, "--compare", path}).standard_output;
  EXPECT_NE(text.find("Nothing changed"), std::string::npos) << text;
  EXPECT_EQ(text.find("More"), std::string::npos) << text;
  EXPECT_NE(run({path, "--table", "modules", "--window", "0..6"}).standard_output, "");
  EXPECT_NE(run({path, "--table", "steps"}).standard_output.find_first_not_of(" \n"), std::string::npos);
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
