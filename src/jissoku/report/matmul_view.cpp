#include "jissoku/report/matmul_view.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "jissoku/core/units.hpp"
#include "jissoku/report/matmul_facts.hpp"
#include "jissoku/report/matmul_table.hpp"
#include "jissoku/report/rows.hpp"

namespace jissoku::report {
namespace {

using core::message;
using document::Row;

/// "137.4 GFLOP": work, not a rate.
std::string work(double flops) {
  std::string rate = core::format_rate_flops(flops, 4);
  rate.pop_back();
  return rate;
}

/// "A x B^T", with its factors where they are not 1 and 0.
std::string formula(const Row& row) {
  const std::string transpose = parameter_text(row, "transpose");
  const auto operand = [&](const char* name, std::size_t index) {
    return std::string(name) + (index < transpose.size() && transpose[index] == 't' ? "^T" : "");
  };
  const std::string alpha = parameter_text(row, "alpha");
  const std::string beta = parameter_text(row, "beta");
  return "C = " + (alpha.empty() || alpha == "1" ? "" : alpha + " ") + operand("A", 0) + " x " +
         operand("B", 1) + (beta.empty() || beta == "0" ? "" : " + " + beta + " C");
}

std::string data_name(const std::string& data, const core::Catalogue& catalogue) {
  if (data == "normal") {
    return catalogue.render(message("report.data_normal"));
  }
  if (data == "uniform") {
    return catalogue.render(message("report.data_uniform"));
  }
  if (data == "ints") {
    return catalogue.render(message("report.data_ints"));
  }
  return data == "zeros" ? catalogue.render(message("report.data_zeros")) : data;
}

Heading heading(const Block& block, const core::Catalogue& catalogue) {
  const Row& row = *block.rows.front();
  const std::vector<core::Argument> args = {{"formula", formula(row)},
                                            {"m", parameter_text(row, "m")},
                                            {"n", parameter_text(row, "n")},
                                            {"k", parameter_text(row, "k")},
                                            {"type", type_name(parameter_text(row, "input"))}};
  return {catalogue.render(block.modelled ? core::Message{"report.product_modelled", args}
                                          : core::Message{"report.product", args})};
}

/// Threads of the CPU rows where they all had the same; 0 otherwise.
std::int64_t common_threads(const Block& block) {
  std::int64_t threads = 0;
  for (const Row* row : block.rows) {
    const std::int64_t own = row->implementation.threads;
    if (own > 0 && threads > 0 && own != threads) {
      return 0;
    }
    threads = std::max(threads, own);
  }
  return threads;
}

/// "FP32 in, FP32 accumulate, normal(0,1), seed 42, 2 threads; 137.4 GFLOP".
Paragraph conditions(const Block& block, const core::Catalogue& catalogue) {
  const Row& row = *block.rows.front();
  const std::string output = parameter_text(row, "output");
  std::string text =
      catalogue.render(message("report.types",
                               {{"input", type_name(parameter_text(row, "input"))},
                                {"accumulator", type_name(parameter_text(row, "accumulator"))}}));
  const auto add = [&](const std::string& part) { text += ", " + part; };
  if (output != parameter_text(row, "input")) {
    add(catalogue.render(message("report.output_type", {{"output", type_name(output)}})));
  }
  add(data_name(parameter_text(row, "data"), catalogue));
  add(catalogue.render(message("report.seed", {{"seed", parameter_text(row, "seed")}})));
  if (const std::string cache = parameter_text(row, "cache"); !cache.empty() && cache != "hot") {
    add(catalogue.render(message("report.cache", {{"cache", cache}})));
  }
  if (const std::int64_t threads = common_threads(block); threads > 0) {
    add(catalogue.render(message("report.threads", {{"count", threads}})));
  }
  if (row.flops > 0) {
    add(work(row.flops));
  }
  return {text, Tone::plain};
}

}  // namespace

Page matmul_page(const document::Document& document, const core::Catalogue& catalogue) {
  Page page;
  for (const Block& block : matmul_blocks(document)) {
    page.emplace_back(heading(block, catalogue));
    if (block.modelled) {
      page.emplace_back(Paragraph{catalogue.render(message("report.modelled_words")), Tone::caution});
    }
    page.emplace_back(conditions(block, catalogue));
    page.emplace_back(matmul_table(document, block, catalogue));
    if (Facts facts = matmul_facts(document, block, catalogue); !facts.items.empty()) {
      page.emplace_back(std::move(facts));
    }
  }
  return page;
}

}  // namespace jissoku::report
