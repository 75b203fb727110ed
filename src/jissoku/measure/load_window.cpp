#include "jissoku/measure/load_window.hpp"

#include <utility>

namespace jissoku::measure {

LoadWindow::LoadWindow(Clock& clock, std::function<CpuUsage()> cpu_usage)
    : clock_(clock), cpu_usage_(cpu_usage ? std::move(cpu_usage) : read_cpu_usage) {
  begin_ = before_begin_ = read();
}

LoadWindow::Reading LoadWindow::read() const {
  return {clock_.now_ns(), cpu_usage_()};
}

void LoadWindow::add(Measurement& measurement, std::size_t round) {
  waiting_.push_back({&measurement, round});
  if (static_cast<double>(clock_.now_ns() - begin_.time_ns) >= kLoadWindowNs) {
    close();
  }
}

void LoadWindow::close() {
  const Reading end = read();
  const bool is_short = static_cast<double>(end.time_ns - begin_.time_ns) < kLoadWindowNs;
  const ForeignLoad load = foreign_load((is_short ? before_begin_ : begin_).usage, end.usage);
  for (const Waiting& waiting : waiting_) {
    Sample& sample = waiting.measurement->rounds[waiting.round];
    sample.foreign_cpu_share = load.foreign_share;
    sample.steal_share = load.steal_share;
  }
  waiting_.clear();
  before_begin_ = begin_;
  begin_ = end;
}

}  // namespace jissoku::measure
