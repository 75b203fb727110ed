// What the rows mean, in words.
#pragma once

#include <vector>

#include "jissoku/device/backend.hpp"
#include "jissoku/document/model.hpp"

namespace jissoku::experiments::matmul {

/// The verdicts: for each number format what the host delivers at its largest product, what each
/// accelerator does against it, what is wrong, and, where no accelerator is usable, exactly why.
/// Reads only rows of this experiment.
std::vector<document::Finding> findings(const std::vector<document::Row>& rows,
                                        const device::Registry& registry);

}  // namespace jissoku::experiments::matmul
