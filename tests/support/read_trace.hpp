// From the text of a trace to its timeline and diagnosis, through a file as users have it.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "jissoku/timeline/diagnosis/diagnose.hpp"
#include "jissoku/timeline/importers/import.hpp"
#include "support/temporary_folder.hpp"

namespace jissoku::tests {

inline timeline::Timeline read_trace(const std::string& text, const std::string& name = "trace.json") {
  const TemporaryFolder folder;
  auto all = timeline::importers::import_all({folder.put(name, text)});
  EXPECT_TRUE(all) << (all ? "" : all.error().message.id);
  if (!all || all->empty()) {
    return {};
  }
  return std::move(all->front());
}

inline timeline::diagnosis::Diagnosis diagnose(const timeline::Timeline& trace) {
  auto diagnosis = timeline::diagnosis::diagnose(trace, {});
  EXPECT_TRUE(diagnosis);
  return diagnosis ? std::move(*diagnosis) : timeline::diagnosis::Diagnosis();
}

/// The id of the verdict: of the first finding where it is a cause.
inline std::string verdict_of(const timeline::diagnosis::Diagnosis& diagnosis) {
  using timeline::diagnosis::Verdict;
  switch (diagnosis.verdict) {
    case Verdict::healthy:
      return "healthy";
    case Verdict::unexplained:
      return "unexplained";
    case Verdict::untrusted:
      return "untrusted";
    case Verdict::no_gpu_work:
      return "no_gpu_work";
    case Verdict::cause:
      break;
  }
  const auto& findings = diagnosis.devices.front().findings;
  return findings.empty() ? "" : std::string(id_of(findings.front().cause));
}

}  // namespace jissoku::tests
