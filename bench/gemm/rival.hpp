// Rivals: libraries that are no part of the product, as subjects of the same rounds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/rivals/rival_module.hpp"
#include "jissoku/core/result.hpp"
#include "jissoku/measure/clock.hpp"
#include "jissoku/measure/sampler.hpp"

namespace jissoku::bench {

class RivalSubject : public measure::Subject {
 public:
  /// Brings the result of the last run into the product's C, where it is not there already.
  virtual core::Status fetch_result() { return {}; }
};

class Rival {
 public:
  virtual ~Rival() = default;
  virtual std::string name() const = 0;     ///< "eigen"
  virtual std::string library() const = 0;  ///< "Eigen 3.4.0"
  /// With A and B as they are now: a rival may copy them. At most one subject lives at a time.
  virtual core::Result<std::unique_ptr<RivalSubject>> prepare(const HostProduct& product) = 0;
};

struct Rivals {
  std::vector<std::unique_ptr<Rival>> found;
  std::vector<std::string> missing;  ///< a line for each that is not there, with the package
};

/// All that are installed. To be called after the device is open.
Rivals find_rivals(int threads, measure::Clock& clock);

/// A module of bench/rivals; nullptr and a line in `fault` if it cannot be opened.
std::unique_ptr<Rival> open_module_rival(const std::string& name,
                                         int threads,
                                         measure::Clock& clock,
                                         std::string& fault);
/// PyTorch in a child process.
std::unique_ptr<Rival> start_torch_rival(int threads, std::string& fault);

/// What went wrong with a rival, in its own words.
core::Error rival_error(const std::string& text);
/// The words of such an error.
std::string rival_words(const core::Error& error);

}  // namespace jissoku::bench
