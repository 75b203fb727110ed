// The text of version 1.0: what is written today is what was written then, and both are read.
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jissoku/document/serialise.hpp"
#include "support/documents.hpp"
#include "support/json_schema.hpp"

namespace jissoku::tests {
namespace {

using document::Document;

Document sample() {
  Document document;
  document.header.tool_version = "0.1.0";
  document.header.command = "jissoku matmul --n 64";
  document.header.arguments = {"matmul", "--n", "64"};
  document.header.seed = 42;
  document.header.started_at = "2026-01-02T03:04:05Z";
  document.header.machine.cpu_model = "Some CPU";
  document.header.machine.caches = {{1, 32768, 1}};
  document.header.machine.turbo = true;
  document.header.devices = {{"cpu", "Some CPU", "cpu", "cpu-1", "", true, false, 2, 8000000000, {}}};
  document.header.unavailable = {core::message("x.none", {{"reason", std::string("no driver")}})};
  document.noise_floor = 0.011;
  document.plan = {{"a", true, 1e9, {}}, {"b", false, 2e9, core::message("x.budget", {{"left", 1.5}})}};
  // Rounds of exactly 1 ns: their logarithm is exact, so are the figures.
  document.rows = {measured_row("cpu", std::vector<double>(5, 1.0)), measured_row("opencl:0", {2.5})};
  document.rows[0].ceilings = {{"measured_fma", 2.4e16, "avx2, 2 threads", "measured"}};
  document.rows[1].baseline = document.rows[0].id;
  document.rows[1].status = document::RowStatus::skipped;
  document.rows[1].samples[0].device_ns = 2.25;
  document.rows[1].reason = core::message(
      "x.slow", {{"ratio", 2.5}, {"because", std::vector<core::Message>{core::message("x.y")}}});
  document.fits = {{"f", "latency_bandwidth", "opencl:0", {{"latency", "ns", 900, 850, 950}}, {"a", "b"}}};
  document.series = {{"s", "cpu", "size", "rate", "bytes", "flops_per_second", {1, 2}, {0.5, 1e12}}};
  document.attachments = {
      {"t", "timeline", "application/json", "timeline.json", "", {{"steps", std::int64_t{3}}}}};
  document.findings = {
      {"verdict_cpu", "info", core::message("x.verdict", {{"rows", std::int64_t{2}}}), {"a"}}};
  document.complete = true;
  document.finished_at = "2026-01-02T03:05:00Z";
  return document;
}

std::string golden() {
  std::ostringstream text;
  text << std::ifstream(std::string(JISSOKU_SOURCE_DIR) + "/tests/golden/document/run_1_0.json").rdbuf();
  return text.str();
}

TEST(Golden, IsWhatIsWritten) {
  const std::string written = document::to_json(sample());
  if (written != golden()) {
    const std::string beside = testing::TempDir() + "run_1_0.json";
    std::ofstream(beside) << written;
    FAIL() << "the new text is in " << beside << "; compare it with tests/golden/document/run_1_0.json";
  }
}

TEST(Golden, FollowsTheSchema) {
  const JsonSchema schema(
      JsonSchema::Json::parse(std::ifstream(std::string(JISSOKU_SOURCE_DIR) + "/schema/run.schema.json")));
  EXPECT_THAT(schema.faults(JsonSchema::Json::parse(golden())), testing::IsEmpty());
}

TEST(Golden, IsRead) {
  const auto read = document::parse_document(golden(), "run_1_0.json");
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(comes_back(sample(), *read));
}

}  // namespace
}  // namespace jissoku::tests
