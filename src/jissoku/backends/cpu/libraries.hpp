// The libraries we know as engines: where they lie, what they need, how to load each.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "jissoku/backends/cpu/engine.hpp"
#include "jissoku/backends/cpu/library_places.hpp"
#include "jissoku/backends/cpu/openmp.hpp"

namespace jissoku::backends::cpu {

/// An engine in a library, with threads of its own.
class LibraryEngine : public Engine {
 public:
  const device::Variant& variant() const override { return variant_; }
  /// Makes the library's threads those asked for and pins them, where that can be done; says in
  /// Variant::threads and ::pinning what came of it. Called before the first product, and again
  /// when another device has used the library since. Pins the calling thread; the caller restores it.
  void prepare_threads(int threads, const std::vector<int>& cpus);
  void add_note(core::Message note) { variant_.notes.push_back(std::move(note)); }

 protected:
  LibraryEngine(const core::SharedLibrary& library, std::string name, std::string title);
  virtual void set_threads(int threads) = 0;
  /// Whether the products run on threads of the OpenMP library found beside it.
  virtual bool uses_openmp() const { return true; }

  device::Variant variant_;
  std::optional<OpenMp> openmp_;
};

struct Library {
  std::string name;                ///< the variant's, "openblas"
  std::string title;               ///< "OpenBLAS"
  std::string package;             ///< in Debian and Ubuntu
  std::vector<std::string> files;  ///< relative to a folder, best first
  core::Result<std::unique_ptr<LibraryEngine>> (*load)(const std::string& file);
};

/// In the order in which they are offered: best guess first.
std::span<const Library> known_libraries();

core::Result<std::unique_ptr<LibraryEngine>> load_openblas(const std::string& file);
core::Result<std::unique_ptr<LibraryEngine>> load_blis(const std::string& file);
core::Result<std::unique_ptr<LibraryEngine>> load_mkl(const std::string& file);
core::Result<std::unique_ptr<LibraryEngine>> load_onednn(const std::string& file);

/// The error of a library that lacks the functions we need: not the one its name says.
core::Error lacks_functions(const core::SharedLibrary& library, const std::string& title);

}  // namespace jissoku::backends::cpu
