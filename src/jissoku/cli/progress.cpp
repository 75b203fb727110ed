#include "jissoku/cli/progress.hpp"

#include <algorithm>
#include <utility>

namespace jissoku::cli {
namespace {

// Drawing is work beside the measuring: rarely enough not to be seen in it.
constexpr std::int64_t kRedrawIntervalNs = 200'000'000;

std::string cut(const std::string& text, int width) {
  int count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool continues = (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
    if (!continues && ++count > width) {
      return text.substr(0, i);
    }
  }
  return text;
}

}  // namespace

std::string progress_text(const experiments::ProgressEvent& event,
                          const core::Catalogue& catalogue,
                          int width) {
  const double share = std::clamp(event.done_share, 0.0, 1.0);
  const auto text =
      core::message("cli.progress",
                    {{"what", std::vector<core::Message>{event.what}},
                     {"share", static_cast<std::int64_t>(share * 100)},
                     {"seconds", static_cast<std::int64_t>(std::max(event.remaining_ns, 0.0) / 1e9)}});
  return cut(catalogue.render(text), width);
}

ProgressLine::ProgressLine(const core::Catalogue& catalogue,
                           const Terminal& terminal,
                           bool quiet,
                           Write write)
    : catalogue_(catalogue),
      width_(terminal.width),
      enabled_(terminal.can_overwrite && !quiet),
      write_(std::move(write)) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::update(const experiments::ProgressEvent& event, std::int64_t now_ns) {
  if (!enabled_ || (drawn_ && now_ns - last_ns_ < kRedrawIntervalNs)) {
    return;
  }
  // One cell stays free: writing into the last one makes some terminals wrap.
  write_("\r\x1b[K" + progress_text(event, catalogue_, width_ - 1));
  drawn_ = true;
  last_ns_ = now_ns;
}

void ProgressLine::clear() {
  if (drawn_) {
    write_("\r\x1b[K");
    drawn_ = false;
  }
}

}  // namespace jissoku::cli
