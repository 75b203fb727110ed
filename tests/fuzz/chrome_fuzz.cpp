// Any bytes as a Chrome or Kineto trace, down to the diagnosis and the export: no crash, no sanitizer report.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "jissoku/timeline/analysis/operator_table.hpp"
#include "jissoku/timeline/diagnosis/diagnose.hpp"
#include "jissoku/timeline/export.hpp"
#include "jissoku/timeline/finish.hpp"
#include "jissoku/timeline/importers/chrome.hpp"
#include "jissoku/timeline/importers/rocprof.hpp"

namespace timeline = jissoku::timeline;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view left(reinterpret_cast<const char*>(data), size);
  // Small pieces, so that events straddle the edges of the window.
  timeline::importers::Window window([&left](char* to, std::size_t capacity) {
    const std::size_t count = std::min({capacity, left.size(), std::size_t{97}});
    std::memcpy(to, left.data(), count);
    left.remove_prefix(count);
    return count;
  });
  timeline::Timeline trace;
  window.refill(window.begin());
#ifdef JISSOKU_FUZZ_ROCPROF
  const bool found = timeline::importers::read_rocprof(window, trace);
#else
  const bool found = timeline::importers::read_chrome(window, trace);
#endif
  if (found) {
    timeline::finish(trace);
    static_cast<void>(timeline::diagnosis::diagnose(trace, {}));
    const timeline::analysis::HostThreads threads(trace);
    const timeline::analysis::Launches launches(trace);
    static_cast<void>(operator_table(threads,
                                     launches,
                                     timeline::analysis::device_activities(trace, std::nullopt),
                                     timeline::analysis::Grouping::operators,
                                     true));
    timeline::export_chrome(trace, [](std::string_view) { return true; });
  }
  return 0;
}
