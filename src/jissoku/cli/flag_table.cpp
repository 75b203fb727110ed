#include "jissoku/cli/flag_table.hpp"

#include <algorithm>

namespace jissoku::cli {
namespace {

using enum FlagGroup;

const std::vector<Flag>& table() {
  static const std::vector<Flag> kTable = {
      {.name = "n", .metavar = "LIST", .group = own, .default_text = "1024,4096"},
      {.name = "shape", .metavar = "MxNxK,...", .group = own},
      {.name = "dtype", .metavar = "LIST", .group = own, .default_text = "f32"},
      {.name = "data", .metavar = "LIST", .group = own, .default_text = "normal"},
      {.name = "transpose",
       .metavar = "AB",
       .group = own,
       .default_text = "nn",
       .choices = {"nn", "nt", "tn", "tt"}},
      {.name = "alpha", .metavar = "X", .group = own, .default_text = "1"},
      {.name = "beta", .metavar = "X", .group = own, .default_text = "0"},

      {.name = "batch", .metavar = "N", .group = own, .default_text = "32"},
      {.name = "in", .metavar = "N", .group = own, .default_text = "128"},
      {.name = "hidden", .metavar = "N", .group = own, .default_text = "512"},
      {.name = "out", .metavar = "N", .group = own, .default_text = "10", .id = "out_features"},
      {.name = "steps", .metavar = "N", .group = own, .default_text = "20"},
      {.name = "trace", .metavar = "FILE", .group = own, .names_file = true},

      {.name = "step", .metavar = "N", .group = own},
      {.name = "gpu", .metavar = "N", .group = own},
      {.name = "window", .metavar = "FROM..TO", .group = own},
      {.name = "table",
       .metavar = "NAME",
       .group = own,
       .choices = {"operators", "modules", "annotations", "kernels", "copies", "syncs", "launches", "steps"}},
      {.name = "group-by-shape", .metavar = "", .group = own},
      {.name = "sort", .metavar = "KEY", .group = own},
      {.name = "limit", .metavar = "N", .group = own},
      {.name = "fail-on", .metavar = "LIST", .group = own},
      {.name = "compare", .metavar = "OTHER", .group = own, .names_file = true},
      {.name = "export", .metavar = "FILE", .group = own, .names_file = true},
      {.name = "explain", .metavar = "", .group = own},

      {.name = "device", .metavar = "LIST", .group = measure},
      {.name = "filter", .metavar = "RE", .group = measure},
      {.name = "seed", .metavar = "N", .group = measure, .default_text = "42"},
      {.name = "threads", .metavar = "N", .group = measure},
      {.name = "budget", .metavar = "SECONDS", .group = measure},
      {.name = "describe", .metavar = "", .group = measure},
      {.name = "resume", .metavar = "RUN", .group = measure, .names_file = true},

      {.name = "out", .metavar = "DIR", .group = output, .names_file = true},
      {.name = "json", .metavar = "FILE|-", .group = output, .names_file = true},
      {.name = "csv", .metavar = "FILE|-", .group = output, .names_file = true},
      {.name = "markdown", .metavar = "FILE|-", .group = output, .names_file = true},

      {.name = "quiet", .metavar = "", .short_name = 'q'},
      {.name = "color", .metavar = "WHEN", .default_text = "auto", .choices = {"auto", "always", "never"}},
      {.name = "lang", .metavar = "LANG", .default_text = "en", .choices = {"en"}},
      {.name = "help", .metavar = "", .short_name = 'h'},
      {.name = "version", .metavar = "", .short_name = 'V'},
      {.name = "man", .metavar = ""},
      {.name = "completions", .metavar = "SHELL", .choices = {"bash", "zsh", "fish"}},
  };
  return kTable;
}

}  // namespace

std::span<const Flag> flags() {
  return table();
}

std::string_view flag_id(const Flag& flag) {
  return flag.id.empty() ? flag.name : flag.id;
}

const Flag* find_flag(std::string_view name) {
  const auto found = std::find_if(
      table().begin(), table().end(), [&](const Flag& f) { return f.name == name && f.id.empty(); });
  return found == table().end() ? nullptr : &*found;
}

}  // namespace jissoku::cli
