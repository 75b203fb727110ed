// How wide this CPU computes, for choosing our own kernels and for judging those of the libraries.
#pragma once

#include <string>
#include <string_view>

namespace jissoku::backends::cpu {

/// In order of width. `baseline` is what every CPU of the architecture has (SSE2, NEON).
enum class Isa { baseline, avx2, avx512 };

/// The widest that both the CPU and the operating system support.
Isa cpu_isa();

/// "AVX-512"; for sentences.
std::string display_name(Isa isa);

/// The class of a kernel by the name its library gives it: OpenBLAS's core name ("SkylakeX"), BLIS's
/// configuration ("haswell"), oneDNN's ISA ("avx512_core"). `baseline` for the old and the unknown.
Isa kernel_isa(std::string_view kernel);

}  // namespace jissoku::backends::cpu
