// What `./dev bench overheads` finds, and how it is printed. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jissoku::bench {

struct Overhead {
  std::string what;
  double value = 0;
  std::string unit;             ///< "ns", "ms", "%", "x"
  std::optional<double> limit;  ///< in the same unit; absent where none is stated
};

/// Not above its limit; true where there is none.
bool met(const Overhead& overhead);

/// One line each, with "met" or "not met" where there is a limit.
std::string text_table(const std::vector<Overhead>& overheads);

/// What proving the results cost in one row of a run document.
struct VerificationCost {
  std::string row;  ///< its id
  double verifying_ns = 0;
  double measuring_ns = 0;  ///< samples and warm-up
};

/// Of all rows with samples, except those that repeat an engine's row as the device's best. nullopt if
/// `document` is not a run document.
std::optional<std::vector<VerificationCost>> verification_costs(std::string_view document);

/// Verifying over measuring time of all of them together; 0 for none.
double verification_share(const std::vector<VerificationCost>& costs);

}  // namespace jissoku::bench
