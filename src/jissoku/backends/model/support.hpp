// What the modelled hardware can do, from types, layout and variant alone.
#pragma once

#include "jissoku/backends/model/table.hpp"

namespace jissoku::backends::model {

/// Whether such hardware has the arithmetic and the formats. Whether the numbers can be had here is
/// HostNumerics::supports().
device::Support hardware_supports(const Model& model, const device::Operation& operation);

}  // namespace jissoku::backends::model
