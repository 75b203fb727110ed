#include "jissoku/backends/cpu/environment.hpp"

#include <cstdlib>

#include "jissoku/backends/cpu/affinity.hpp"

namespace jissoku::backends::cpu {
namespace {

std::optional<std::string> value_of(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

void apply(const ScopedEnvironment::Setting& setting) {
  if (setting.second) {
    setenv(setting.first.c_str(), setting.second->c_str(), 1);
  } else {
    unsetenv(setting.first.c_str());
  }
}

}  // namespace

ScopedEnvironment::ScopedEnvironment(const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) {
    before_.emplace_back(setting.first, value_of(setting.first));
    apply(setting);
  }
}

ScopedEnvironment::~ScopedEnvironment() {
  for (auto setting = before_.rbegin(); setting != before_.rend(); ++setting) {
    apply(*setting);
  }
}

std::vector<ScopedEnvironment::Setting> thread_settings(int threads, const std::vector<int>& cpus) {
  const std::string count = std::to_string(threads);
  std::vector<ScopedEnvironment::Setting> settings = {
      {"OMP_NUM_THREADS", count},
      {"OPENBLAS_NUM_THREADS", count},
      {"GOTO_NUM_THREADS", std::nullopt},
      {"BLIS_NUM_THREADS", count},
      {"MKL_NUM_THREADS", count},
      {"MKL_DYNAMIC", "FALSE"},
      {"OMP_DYNAMIC", "false"},
      {"OMP_THREAD_LIMIT", std::nullopt},
      {"OMP_MAX_ACTIVE_LEVELS", std::nullopt},
      {"OMP_PLACES", std::nullopt},  // would go before GOMP_CPU_AFFINITY
      {"KMP_AFFINITY", std::nullopt},
      {"OMP_PROC_BIND", cpus.empty() ? "false" : "true"},
      {"GOMP_CPU_AFFINITY", cpus.empty() ? std::nullopt : std::optional(join_cpus(cpus))},
  };
  for (const char* loop : {"BLIS_JC_NT", "BLIS_PC_NT", "BLIS_IC_NT", "BLIS_JR_NT", "BLIS_IR_NT"}) {
    settings.emplace_back(loop, std::nullopt);  // would go before BLIS_NUM_THREADS
  }
  return settings;
}

std::string overridden_by(const std::vector<ScopedEnvironment::Setting>& settings) {
  std::string names;
  for (const auto& [name, wanted] : settings) {
    const std::optional<std::string> users = value_of(name);
    if (users && users != wanted) {
      if (!names.empty()) {
        names += ", ";
      }
      names += name;
    }
  }
  return names;
}

}  // namespace jissoku::backends::cpu
