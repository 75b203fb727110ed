#include "jissoku/backends/cpu/engines.hpp"

#include <cstdlib>
#include <map>
#include <optional>
#include <sys/mman.h>
#include <sys/resource.h>
#include <utility>

#include "jissoku/backends/cpu/affinity.hpp"
#include "jissoku/backends/cpu/environment.hpp"
#include "jissoku/backends/cpu/trial.hpp"

namespace jissoku::backends::cpu {
namespace {

const char kCoreType[] = "OPENBLAS_CORETYPE";

core::Message not_installed(const Library& library) {
  return core::message("cpu.engine_not_installed", {{"engine", library.title}, {"package", library.package}});
}

core::Message not_usable(const Library& library, const std::string& file, core::Message why) {
  return core::message(
      "cpu.engine_unusable",
      {{"engine", library.title}, {"file", file}, {"why", std::vector<core::Message>{std::move(why)}}});
}

/// A library where it was found, with the kernel setting it is to be loaded with.
struct Candidate {
  const Library* library = nullptr;
  std::string file;
  std::string core_type;  ///< OPENBLAS_CORETYPE we set; "" = as it is
  TrialOutcome outcome;
  std::string own_choice;  ///< the kernel it took before we set core_type

  std::vector<ScopedEnvironment::Setting> settings() const {
    if (core_type.empty()) {
      return {};
    }
    return {{kCoreType, core_type}};
  }
};

/// Outcomes by file and the settings that decide on kernels.
std::string trial_key(const Candidate& candidate) {
  std::string key = candidate.file + '\n' + candidate.core_type;
  for (const char* variable : {kCoreType, "BLIS_ARCH_TYPE", "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"}) {
    const char* value = std::getenv(variable);
    key += '\n' + std::string(value != nullptr ? value : "");
  }
  return key;
}

/// Fills in the outcomes; all children run side by side.
void try_candidates(std::vector<Candidate>& candidates) {
  static std::map<std::string, TrialOutcome> known;  // a Device is opened by one thread at a time
  std::vector<std::unique_ptr<Trial>> trials(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!known.contains(trial_key(candidates[i]))) {
      const ScopedEnvironment core_type(candidates[i].settings());
      trials[i] =
          std::make_unique<Trial>([&candidate = candidates[i]]() -> core::Result<std::unique_ptr<Engine>> {
            auto engine = candidate.library->load(candidate.file);
            if (!engine) {
              return engine.error();
            }
            (*engine)->prepare_threads(1, {});
            return std::unique_ptr<Engine>(std::move(*engine));
          });
    }
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (trials[i]) {
      known[trial_key(candidates[i])] = trials[i]->wait();
    }
    candidates[i].outcome = known[trial_key(candidates[i])];
  }
}

/// Replaces an OpenBLAS that took an old kernel by one told to take a better one, if that works.
void improve_core_type(Candidate& candidate) {
  if (candidate.library->name != "openblas" || !candidate.outcome.reason.empty() ||
      std::getenv(kCoreType) != nullptr) {
    return;
  }
  std::vector<Candidate> others;
  for (const std::string& core_type : better_core_types(candidate.outcome.kernel, cpu_isa())) {
    others.push_back({candidate.library, candidate.file, core_type, {}, candidate.outcome.kernel});
  }
  try_candidates(others);
  for (const Candidate& other : others) {
    // A name the library does not know is ignored by it: look at what it really took.
    if (other.outcome.reason.empty() && kernel_isa(other.outcome.kernel) != Isa::baseline) {
      candidate = other;
      return;
    }
  }
}

void add_notes(LibraryEngine& engine, const Candidate& candidate) {
  if (!candidate.core_type.empty()) {
    engine.add_note(core::message("cpu.openblas_coretype",
                                  {{"kernel", candidate.own_choice}, {"core_type", candidate.core_type}}));
  } else if (const char* users = std::getenv(kCoreType);
             users != nullptr && candidate.library->name == "openblas") {
    engine.add_note(core::message("cpu.openblas_coretype_users", {{"core_type", std::string(users)}}));
  }
  for (core::Message& note : kernel_notes(engine.variant(), cpu_isa())) {
    engine.add_note(std::move(note));
  }
}

/// OpenBLAS takes a buffer for each thread as it is loaded, and asks forever where it gets none. The trial,
/// with one thread, does not see that.
core::Message lacks_address_space(int threads) {
  constexpr std::int64_t kBufferBytes = std::int64_t{128} << 20;
  constexpr std::int64_t kLibraryBytes = std::int64_t{64} << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return {};
  }
  const std::int64_t needed = (threads + 1) * kBufferBytes + kLibraryBytes;
  const auto length = static_cast<std::size_t>(needed);
  void* const room = mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) {
    return core::message("cpu.no_address_space", {{"needed", needed}});
  }
  munmap(room, length);
  return {};
}

void load_candidate(const Candidate& candidate, const EngineSearch& search, FoundEngines& found) {
  const Library& library = *candidate.library;
  core::Message why = candidate.outcome.reason;
  if (why.empty() && library.name == "openblas") {
    why = lacks_address_space(search.threads);
  }
  if (why.empty()) {
    const ScopedEnvironment core_type(candidate.settings());
    auto engine = library.load(candidate.file);
    if (engine) {
      (*engine)->prepare_threads(search.threads, search.cpus);
      add_notes(**engine, candidate);
      found.usable.push_back(std::move(*engine));
      return;
    }
    why = engine.error().message;
  }
  found.unusable.push_back({library.name, not_usable(library, candidate.file, std::move(why))});
}

}  // namespace

std::vector<std::string> better_core_types(std::string_view core_name, Isa cpu) {
  if (kernel_isa(core_name) != Isa::baseline) {
    return {};
  }
  switch (cpu) {
    case Isa::avx512:
      return {"SkylakeX", "Haswell"};
    case Isa::avx2:
      return {"Haswell"};
    case Isa::baseline:
      break;
  }
  return {};
}

std::vector<core::Message> kernel_notes(const device::Variant& variant, Isa cpu) {
  const Isa kernel = kernel_isa(variant.kernel);
  if (variant.kernel.empty() || kernel >= cpu) {
    return {};
  }
  return {core::message("cpu.kernel_below_cpu",
                        {{"engine", variant.library},
                         {"kernel", variant.kernel},
                         {"kernel_isa", display_name(kernel)},
                         {"cpu_isa", display_name(cpu)}})};
}

std::vector<Unusable> missing_libraries(const std::vector<std::string>& folders) {
  std::vector<Unusable> missing;
  for (const Library& library : known_libraries()) {
    if (find_library(folders, library.files).empty()) {
      missing.push_back({library.name, not_installed(library)});
    }
  }
  return missing;
}

FoundEngines load_engines(const EngineSearch& search) {
  FoundEngines found;
  found.unusable = missing_libraries(search.folders);
  std::vector<Candidate> candidates;
  for (const Library& library : known_libraries()) {
    if (std::string file = find_library(search.folders, library.files); !file.empty()) {
      candidates.push_back({&library, std::move(file), {}, {}, {}});
    }
  }
  {
    const ScopedEnvironment one_thread(thread_settings(1, {}));
    try_candidates(candidates);
    for (Candidate& candidate : candidates) {
      improve_core_type(candidate);
    }
  }
  const std::vector<int> before = thread_cpus();
  const ScopedEnvironment threads(thread_settings(search.threads, search.cpus));
  for (const Candidate& candidate : candidates) {
    load_candidate(candidate, search, found);
  }
  set_thread_cpus(before);
  return found;
}

}  // namespace jissoku::backends::cpu
