#include "jissoku/report/csv.hpp"

#include <clocale>
#include <map>

#include <gtest/gtest.h>

#include "support/sample_documents.hpp"

namespace jissoku::report {
namespace {

using namespace jissoku::tests;

/// A strict reader of RFC 4180, independent of the writer.
std::vector<std::vector<std::string>> parse(const std::string& text) {
  std::vector<std::vector<std::string>> records(1);
  std::string field;
  bool inside = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char character = text[at];
    if (inside) {
      if (character == '"' && at + 1 < text.size() && text[at + 1] == '"') {
        field += '"';
        ++at;
      } else if (character == '"') {
        inside = false;
      } else {
        field += character;
      }
    } else if (character == '"') {
      EXPECT_TRUE(field.empty());
      inside = true;
    } else if (character == ',') {
      records.back().push_back(std::exchange(field, ""));
    } else if (character == '\r') {
      EXPECT_EQ(text.at(at + 1), '\n');
      ++at;
      records.back().push_back(std::exchange(field, ""));
      records.emplace_back();
    } else {
      field += character;
    }
  }
  EXPECT_FALSE(inside);
  records.pop_back();
  return records;
}

using Record = std::map<std::string, std::string>;

std::vector<Record> records_of(const Document& document) {
  const auto lines = parse(render_csv(document));
  std::vector<Record> out;
  for (std::size_t line = 1; line < lines.size(); ++line) {
    EXPECT_EQ(lines[line].size(), lines[0].size());
    Record& record = out.emplace_back();
    for (std::size_t column = 0; column < lines[line].size(); ++column) {
      EXPECT_TRUE(record.emplace(lines[0][column], lines[line][column]).second) << lines[0][column];
    }
  }
  return out;
}

TEST(Csv, HasOneRecordPerRowAndDistinctColumns) {
  for (const SampleDocument& sample : sample_documents()) {
    EXPECT_EQ(records_of(sample.document).size(), sample.document.rows.size()) << sample.name;
  }
}

TEST(Csv, HoldsRawNumbersWithUnitsInTheNames) {
  Document document = matmul_document();
  for (document::Sample& sample : document.rows[0].samples) {
    sample.host_ns = 1e9;
  }
  const Record record = records_of(document)[0];
  EXPECT_EQ(record.at("m"), "4096");
  EXPECT_EQ(record.at("alpha"), "1");
  EXPECT_EQ(record.at("work_flop"), "137438953472");
  EXPECT_EQ(record.at("time_ns"), "1e+09");
  EXPECT_EQ(std::stod(record.at("rate_flop_per_s")), 137438953472.0);
  EXPECT_DOUBLE_EQ(std::stod(record.at("share_of_measured_peak")), 137438953472.0 / 179e9);
  EXPECT_EQ(record.at("share_of_datasheet"), "");
  EXPECT_EQ(record.at("proof_detection_limit"), "3.14e-05");
  EXPECT_EQ(record.at("engine_kernel"), "Haswell");
  EXPECT_EQ(record.at("rounds"), "12");
}

TEST(Csv, LeavesNumbersOfUnprintableRowsEmpty) {
  for (const Record& record : records_of(statuses_document())) {
    const bool printable = record.at("status") == "converged" || record.at("status") == "noisy" ||
                           record.at("status") == "ceiling" || record.at("status") == "throttled";
    if (!printable || record.at("device") == "cpu:few" || record.at("device") == "cpu:bold") {
      EXPECT_EQ(record.at("time_ns"), "") << record.at("device");
      EXPECT_EQ(record.at("rate_flop_per_s"), "") << record.at("device");
      EXPECT_EQ(record.at("speed_up"), "") << record.at("device");
    } else {
      EXPECT_NE(record.at("time_ns"), "") << record.at("device");
    }
  }
}

TEST(Csv, QuotesWhatNeedsIt) {
  Document document = matmul_document();
  document.rows.resize(1);
  document.rows[0].implementation.library = "Open\"BLAS\", fast\r\nand more";
  EXPECT_EQ(records_of(document)[0].at("engine_library"), "Open\"BLAS\", fast\r\nand more");
}

TEST(Csv, KeepsParametersApartFromItsOwnColumns) {
  Document document = matmul_document();
  document.rows[1].parameters.push_back({"status", std::string("mine")});
  const auto records = records_of(document);
  EXPECT_EQ(records[0].at("parameter_status"), "");
  EXPECT_EQ(records[1].at("parameter_status"), "mine");
  EXPECT_EQ(records[1].at("status"), "converged");
}

TEST(Csv, DoesNotDependOnTheLocale) {
  const std::string plain = render_csv(matmul_document());
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "C.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) != nullptr) {
      EXPECT_EQ(render_csv(matmul_document()), plain) << name;
    }
  }
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace jissoku::report
