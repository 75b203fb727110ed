// The machine and what can compute on it.
#pragma once

#include <string>

#include "jissoku/core/catalogue.hpp"
#include "jissoku/document/model.hpp"
#include "jissoku/report/page.hpp"

namespace jissoku::report {

enum class Detail {
  brief,  ///< beside measurements: one line per engine
  full,   ///< the machine in full, and every engine's file
};

/// The machine, the engines of every device, and what is missing. Without rows of experiment "devices" and
/// with Detail::brief it is empty.
Page devices_page(const document::Document& document, const core::Catalogue& catalogue, Detail detail);

/// "AMD EPYC 7763, 2 of 2 threads, avx2, kvm": the machine in one line.
std::string machine_line(const core::Machine& machine, const core::Catalogue& catalogue);

}  // namespace jissoku::report
