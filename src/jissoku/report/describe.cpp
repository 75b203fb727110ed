#include "jissoku/report/describe.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "jissoku/core/text.hpp"
#include "jissoku/numerics/data_type.hpp"
#include "jissoku/report/layout.hpp"
#include "jissoku/report/rows.hpp"

namespace jissoku::report {
namespace {

using core::message;
using document::Row;

struct Legend {
  core::Message title, words;
};

std::array<Legend, 10> legends() {
  return {{{message("report.column_device"), message("describe.device")},
           {message("report.column_engine"), message("describe.engine")},
           {message("report.column_kernel"), message("describe.kernel")},
           {message("report.column_time"), message("describe.time")},
           {message("report.column_rate"), message("describe.rate")},
           {message("report.column_of_peak"), message("describe.of_peak")},
           {message("report.column_of_memory"), message("describe.of_memory")},
           {message("report.column_of_datasheet"), message("describe.of_datasheet")},
           {message("report.column_baseline"), message("describe.against")},
           {message("report.column_proof"), message("describe.proof")}}};
}

std::vector<core::Message> sentences(const Row& row, const core::Catalogue& catalogue) {
  if (row.experiment == "devices") {
    return {message("describe.devices", {{"id", row.id}})};
  }
  if (row.experiment == "profile") {
    return {message(row.baseline.empty() ? "describe.profile" : "describe.profile_recorded",
                    {{"id", row.id}, {"device", label(row, catalogue)}})};
  }
  if (row.experiment != "matmul") {
    return {message("describe.other", {{"id", row.id}, {"experiment", row.experiment}})};
  }
  std::vector<core::Message> out = {message("describe.matmul",
                                            {{"id", row.id},
                                             {"device", label(row, catalogue)},
                                             {"m", parameter_text(row, "m")},
                                             {"n", parameter_text(row, "n")},
                                             {"k", parameter_text(row, "k")},
                                             {"input", type_name(parameter_text(row, "input"))},
                                             {"accumulator", type_name(parameter_text(row, "accumulator"))}}),
                                    message("describe.matmul_read")};
  if (row.implementation.chosen) {
    out.push_back(message("describe.matmul_chosen"));
  }
  return out;
}

}  // namespace

std::string describe(const Row& row, const core::Catalogue& catalogue, int width) {
  std::string text;
  for (const core::Message& sentence : sentences(row, catalogue)) {
    text += (text.empty() ? "" : " ") + printable(catalogue.render(sentence), true);
  }
  return hanging("", text, 0, Tone::plain, {width, true, false});
}

std::string describe_columns(const core::Catalogue& catalogue, int width) {
  constexpr int kLeastForTwoColumns = 60;
  constexpr int kGap = 2;
  int titles = 0;
  for (const Legend& legend : legends()) {
    titles = std::max(titles, core::display_width(catalogue.render(legend.title)));
  }
  const Style style{width, true, false};
  std::string out;
  for (const Legend& legend : legends()) {
    const std::string title = catalogue.render(legend.title);
    const std::string words = catalogue.render(legend.words);
    if (width < kLeastForTwoColumns) {
      out += hanging("", title + ": " + words, kGap, Tone::plain, style);
    } else {
      out += hanging(padded(title, titles + kGap, Align::left), words, titles + kGap, Tone::plain, style);
    }
  }
  return out;
}

}  // namespace jissoku::report
