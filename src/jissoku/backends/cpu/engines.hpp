// From the libraries we know to engines that work here: find, try in child processes, load, set threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "jissoku/backends/cpu/isa.hpp"
#include "jissoku/backends/cpu/libraries.hpp"

namespace jissoku::backends::cpu {

/// An engine that is not there, with a sentence why and what to do.
struct Unusable {
  std::string name;
  core::Message reason;
};

struct EngineSearch {
  std::vector<std::string> folders;  ///< see library_folders()
  int threads = 1;
  std::vector<int> cpus;  ///< one per thread to pin to, or empty
};

struct FoundEngines {
  std::vector<std::unique_ptr<LibraryEngine>> usable;  ///< best guess first
  std::vector<Unusable> unusable;
};

/// The libraries that no folder has. Opens nothing.
std::vector<Unusable> missing_libraries(const std::vector<std::string>& folders);

/// Tries and loads all. What a trial found is kept for the life of the process, so that a second call
/// starts no child while threads run. The calling thread's affinity is the same afterwards.
FoundEngines load_engines(const EngineSearch& search);

/// OPENBLAS_CORETYPE values to try, best first, when OpenBLAS took `core_name` by itself: none unless
/// that is far below the CPU, as happens with CPUs newer than the library.
std::vector<std::string> better_core_types(std::string_view core_name, Isa cpu);

/// Notes about the kernel a library took: one that does not use what the CPU offers.
std::vector<core::Message> kernel_notes(const device::Variant& variant, Isa cpu);

}  // namespace jissoku::backends::cpu
