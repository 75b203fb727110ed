// Other programs' load for samples too short to have one of their own: see kLoadWindowNs.
#pragma once

#include <vector>

#include "jissoku/measure/sampler.hpp"

namespace jissoku::measure {

class LoadWindow {
 public:
  LoadWindow(Clock& clock, std::function<CpuUsage()> cpu_usage);

  /// A sample was just taken; its load is filled in when its window ends.
  void add(Measurement& measurement, std::size_t round);
  /// Ends the window now. One that is too short reaches back over the one before it.
  void close();

 private:
  struct Reading {
    std::int64_t time_ns = 0;
    CpuUsage usage;
  };
  struct Waiting {
    Measurement* measurement;
    std::size_t round;
  };
  Reading read() const;

  Clock& clock_;
  std::function<CpuUsage()> cpu_usage_;
  Reading before_begin_, begin_;
  std::vector<Waiting> waiting_;
};

}  // namespace jissoku::measure
