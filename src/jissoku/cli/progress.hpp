// One status line on standard error, redrawn in place: what runs, how far, how long still. Drawn
// only on a terminal that can overwrite.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "jissoku/cli/terminal.hpp"
#include "jissoku/core/catalogue.hpp"
#include "jissoku/experiments/context.hpp"

namespace jissoku::cli {

/// "matmul 4096x4096x4096, round 3   34 %, 12 s left", cut to `width` characters.
std::string progress_text(const experiments::ProgressEvent& event,
                          const core::Catalogue& catalogue,
                          int width);

class ProgressLine {
 public:
  using Write = std::function<void(const std::string& text)>;
  ProgressLine(const core::Catalogue& catalogue, const Terminal& terminal, bool quiet, Write write);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(const experiments::ProgressEvent& event, std::int64_t now_ns);
  void clear();

 private:
  const core::Catalogue& catalogue_;
  int width_;
  bool enabled_;
  bool drawn_ = false;
  std::int64_t last_ns_ = 0;
  Write write_;
};

}  // namespace jissoku::cli
