// Every number format there is.
#pragma once

#include <array>

#include "jissoku/numerics/data_type.hpp"

namespace jissoku::tests {

/// In the order of the enumeration.
inline constexpr std::array kDataTypes = {numerics::DataType::f64,
                                          numerics::DataType::f32,
                                          numerics::DataType::tf32,
                                          numerics::DataType::f16,
                                          numerics::DataType::bf16,
                                          numerics::DataType::e4m3,
                                          numerics::DataType::e5m2,
                                          numerics::DataType::e3m2,
                                          numerics::DataType::e2m3,
                                          numerics::DataType::e2m1,
                                          numerics::DataType::i8,
                                          numerics::DataType::i32,
                                          numerics::DataType::e8m0};

}  // namespace jissoku::tests
