#include "bench/gemm/rival.hpp"

#include <dlfcn.h>
#include <filesystem>

#include <fmt/format.h>

namespace jissoku::bench {
namespace {

class ModuleSubject final : public RivalSubject {
 public:
  ModuleSubject(std::unique_ptr<PreparedProduct> product, measure::Clock& clock)
      : product_(std::move(product)), clock_(clock) {}

  core::Result<measure::BatchTiming> run(std::int64_t launches) override {
    measure::BatchTiming timing;
    const std::int64_t start_ns = clock_.now_ns();
    for (std::int64_t i = 0; i < launches; ++i) {
      product_->multiply();
    }
    timing.host_ns = static_cast<double>(clock_.now_ns() - start_ns);
    return timing;
  }

 private:
  std::unique_ptr<PreparedProduct> product_;
  measure::Clock& clock_;
};

class ModuleRival final : public Rival {
 public:
  ModuleRival(std::string name, int threads, measure::Clock& clock)
      : name_(std::move(name)), threads_(threads), clock_(clock) {}

  /// Never closed again: its threads would lose the code they run.
  bool open(const std::string& path) {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) {
      prepare_ = reinterpret_cast<decltype(prepare_)>(dlsym(handle, "jissoku_rival_prepare"));
      library_ = reinterpret_cast<decltype(library_)>(dlsym(handle, "jissoku_rival_library"));
    }
    return prepare_ != nullptr && library_ != nullptr;
  }
  std::string name() const override { return name_; }
  std::string library() const override { return library_(); }
  core::Result<std::unique_ptr<RivalSubject>> prepare(const HostProduct& product) override {
    std::unique_ptr<PreparedProduct> prepared(prepare_(&product, threads_));
    if (!prepared) {
      return rival_error(library() + " has no way to do this product");
    }
    return std::unique_ptr<RivalSubject>(std::make_unique<ModuleSubject>(std::move(prepared), clock_));
  }

 private:
  std::string name_;
  int threads_;
  measure::Clock& clock_;
  decltype(&jissoku_rival_prepare) prepare_ = nullptr;
  decltype(&jissoku_rival_library) library_ = nullptr;
};

}  // namespace

core::Error rival_error(const std::string& text) {
  return core::make_error(core::ExitCode::unavailable, "bench.rival", {{"text", text}});
}

std::string rival_words(const core::Error& error) {
  const core::Value* text = error.message.find("text");
  const auto* words = text == nullptr ? nullptr : std::get_if<std::string>(text);
  return words == nullptr ? error.message.id : *words;
}

std::unique_ptr<Rival> open_module_rival(const std::string& name,
                                         int threads,
                                         measure::Clock& clock,
                                         std::string& fault) {
  const std::string path = fmt::format("{}/rival_{}.so", JISSOKU_RIVALS_FOLDER, name);
  if (!std::filesystem::exists(path)) {
    fault = fmt::format("{}: not built, since its package lib{}-dev is missing: ./dev setup rivals",
                        name,
                        name == "eigen" ? "eigen3" : "xsmm");
    return nullptr;
  }
  auto rival = std::make_unique<ModuleRival>(name, threads, clock);
  if (!rival->open(path)) {
    const char* why = dlerror();
    fault = fmt::format("{}: {}", name, why == nullptr ? path + " is not one of our modules" : why);
    return nullptr;
  }
  return rival;
}

Rivals find_rivals(int threads, measure::Clock& clock) {
  Rivals rivals;
  const auto add = [&rivals](std::unique_ptr<Rival> rival, const std::string& fault) {
    if (rival) {
      rivals.found.push_back(std::move(rival));
    } else {
      rivals.missing.push_back(fault);
    }
  };
  for (const char* name : {"eigen", "libxsmm"}) {
    std::string fault;
    auto rival = open_module_rival(name, threads, clock, fault);
    add(std::move(rival), fault);
  }
  std::string fault;
  auto torch = start_torch_rival(threads, fault);
  add(std::move(torch), fault);
  return rivals;
}

}  // namespace jissoku::bench
