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

/// What another program's document may lack.
std::string known(const std::string& text) {
  return text.empty() ? "?" : text;
}

/// "137.4 GFLOP": work, not a rate.
std::string work(double flops) {
  std::string rate = core::format_rate_flops(flops, 4);
  rate.pop_back();
  return rate;
}

std::string factor(const std::string& value) {
  return value.empty() || value == "1" ? "" : value + " ";
}

/// "C = A x B^T", with its factors where they are not 1 and 0.
std::string formula(const Row& row) {
  const std::string transpose = parameter_text(row, "transpose");
  const auto operand = [&](const char* name, std::size_t index) {
    return std::string(name) + (index < transpose.size() && transpose[index] == 't' ? "^T" : "");
  };
  const std::string alpha = parameter_text(row, "alpha");
  const std::string beta = parameter_text(row, "beta");
  return "C = " + factor(alpha) + operand("A", 0) + " x " + operand("B", 1) +
         (beta.empty() || beta == "0" ? "" : " + " + factor(beta) + "C");
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

/// "FP32 in, FP32 accumulate"; the output where it is another format than the operands.
std::string types(const Row& row, const core::Catalogue& catalogue) {
  const std::string input = type_name(known(parameter_text(row, "input")));
  const std::string accumulator = type_name(known(parameter_text(row, "accumulator")));
  const std::string output = type_name(known(parameter_text(row, "output")));
  if (output == input) {
    return catalogue.render(message("report.types", {{"input", input}, {"accumulator", accumulator}}));
  }
  return catalogue.render(
      message("report.types_output", {{"input", input}, {"accumulator", accumulator}, {"output", output}}));
}

Heading heading(const Block& block, const core::Catalogue& catalogue) {
  const Row& row = *block.rows.front();
  core::Message words{block.modelled ? "report.product_modelled" : "report.product", {}};
  words.args = {{"formula", formula(row)},
                {"m", known(parameter_text(row, "m"))},
                {"n", known(parameter_text(row, "n"))},
                {"k", known(parameter_text(row, "k"))},
                {"types", types(row, catalogue)}};
  return {catalogue.render(words)};
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

/// "normal(0,1), seed 42, 2 threads, 137.4 GFLOP each".
Paragraph conditions(const Block& block, const core::Catalogue& catalogue) {
  const Row& row = *block.rows.front();
  std::string text = data_name(parameter_text(row, "data"), catalogue);
  const auto add = [&](const core::Message& part) {
    text += (text.empty() ? "" : ", ") + catalogue.render(part);
  };
  if (const std::string seed = parameter_text(row, "seed"); !seed.empty()) {
    add(message("report.seed", {{"seed", seed}}));
  }
  if (const std::string cache = parameter_text(row, "cache"); !cache.empty() && cache != "hot") {
    add(message("report.cache", {{"cache", cache}}));
  }
  if (const std::int64_t threads = common_threads(block); threads > 0) {
    add(message("report.threads", {{"count", threads}}));
  }
  if (row.flops > 0) {
    add(message("report.work", {{"flops", work(row.flops)}}));
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
    if (Paragraph words = conditions(block, catalogue); !words.text.empty()) {
      page.emplace_back(std::move(words));
    }
    page.emplace_back(matmul_table(document, block, catalogue));
    if (Facts facts = matmul_facts(document, block, catalogue); !facts.items.empty()) {
      page.emplace_back(std::move(facts));
    }
  }
  return page;
}

}  // namespace jissoku::report
