#include "jissoku/core/suggest.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace jissoku::core {
namespace {

/// Optimal string alignment distance (Damerau-Levenshtein without edits between swapped letters).
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before_last(to.size() + 1);
  std::vector<std::size_t> last(to.size() + 1);
  std::vector<std::size_t> current(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) {
    last[j] = j;
  }
  for (std::size_t i = 1; i <= from.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replace = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, replace});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        current[j] = std::min(current[j], before_last[j - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(current);
  }
  return last[to.size()];
}

std::string_view without_dashes(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of('-'), text.size()));
  return text;
}

}  // namespace

std::string nearest(std::string_view text, std::span<const std::string> known) {
  const std::string_view typed = without_dashes(text);
  std::string best;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : known) {
    const std::string_view word = without_dashes(candidate);
    const std::size_t longer = std::max(typed.size(), word.size());
    const std::size_t allowed = std::max<std::size_t>(1, longer / 3);
    // Lengths alone rule most out, and keep a pasted megabyte from costing anything.
    if (longer - std::min(typed.size(), word.size()) > allowed) {
      continue;
    }
    const std::size_t distance = edit_distance(typed, word);
    // One edit turns any single letter into any other: there must be something in common.
    if (distance <= allowed && distance < longer && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace jissoku::core
