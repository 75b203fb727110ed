#include "jissoku/backends/cpu/trial.hpp"

#include <csignal>
#include <functional>
#include <limits>
#include <unistd.h>

#include <gtest/gtest.h>

#include "jissoku/backends/cpu/own_engine.hpp"

namespace jissoku::backends::cpu {
namespace {

/// Our own engine with something done to each product.
class TamperedEngine final : public Engine {
 public:
  using Tamper = std::function<void(const Product&)>;
  explicit TamperedEngine(
      Tamper before, Tamper after = [](const Product&) {})
      : before_(std::move(before)),
        after_(std::move(after)),
        team_(std::move(ThreadTeam::create(1, {})).value()),
        engine_(make_own_engine(*team_, baseline_kernels(), {})) {}

  const device::Variant& variant() const override { return engine_->variant(); }
  device::Support supports(const Product& product) const override { return engine_->supports(product); }
  core::Status multiply(const Product& product) override {
    before_(product);
    core::Status done = engine_->multiply(product);
    after_(product);
    return done;
  }

 private:
  Tamper before_, after_;
  std::unique_ptr<ThreadTeam> team_;
  std::unique_ptr<Engine> engine_;
};

void leave_alone(const Product&) {}

template <typename... Tampers>
Trial::Load loading(Tampers... tampers) {
  return [=]() -> core::Result<std::unique_ptr<Engine>> {
    return std::unique_ptr<Engine>(std::make_unique<TamperedEngine>(tampers...));
  };
}

TEST(Trial, PassesARightEngineAndTellsItsKernel) {
  Trial trial(loading(leave_alone));
  const TrialOutcome outcome = trial.wait();
  EXPECT_EQ(outcome.reason.id, "");
  EXPECT_EQ(outcome.kernel, baseline_kernels().name);
}

TEST(Trial, TurnsACrashIntoAReason) {
  for (const auto& [signal, name] :
       {std::pair{SIGILL, "SIGILL"}, std::pair{SIGSEGV, "SIGSEGV"}, std::pair{SIGABRT, "SIGABRT"}}) {
    Trial trial(loading([signal = signal](const Product&) { raise(signal); }));
    EXPECT_EQ(trial.wait().reason, core::message("cpu.trial_crashed", {{"signal", std::string(name)}}));
  }
}

TEST(Trial, TurnsAnExitIntoAReason) {
  Trial trial(loading([](const Product&) { _exit(3); }));
  EXPECT_EQ(trial.wait().reason, core::message("cpu.trial_ended", {{"status", std::int64_t{3}}}));
}

TEST(Trial, EndsAnEngineThatHangs) {
  Trial trial(loading([](const Product&) {
    while (true) {
      pause();
    }
  }));
  EXPECT_EQ(trial.wait(20).reason, core::message("cpu.trial_hung", {{"seconds", 0.02}}));
}

TEST(Trial, FindsAWrongResult) {
  Trial trial(loading(leave_alone, [](const Product& product) {
    if (product.type == numerics::DataType::f64 && product.n == 130) {
      static_cast<double*>(product.c)[product.m * product.ldc - 1] += 1;  // one element, the last
    }
  }));
  EXPECT_EQ(
      trial.wait().reason,
      core::message("cpu.trial_wrong", {{"shape", std::string("35x130x33")}, {"type", std::string("FP64")}}));
}

TEST(Trial, PassesOnWhyLoadingFailed) {
  const core::Message why =
      core::message("core.library_not_loaded", {{"file", std::string("/x")}, {"why", std::string("no")}});
  Trial trial([&]() -> core::Result<std::unique_ptr<Engine>> {
    return core::Error{core::ExitCode::unavailable, why};
  });
  EXPECT_EQ(trial.wait().reason, why);
}

TEST(CheckEngine, FindsNanOfCThatSpreadsInSpiteOfBetaZero) {
  std::vector<float> before;
  TamperedEngine spreads(
      [&](const Product& product) {
        if (product.type == numerics::DataType::f32 && product.beta == 0) {
          const auto* c = static_cast<const float*>(product.c);
          before.assign(c, c + product.m * product.ldc);
        }
      },
      [&](const Product& product) {
        if (product.type == numerics::DataType::f32 && product.beta == 0) {
          for (std::size_t i = 0; i < before.size(); ++i) {
            static_cast<float*>(product.c)[i] += 0 * before[i];
          }
        }
      });
  const core::Status status = check_engine(spreads);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message.id, "cpu.trial_wrong");
}

TEST(CheckEngine, PassesARightOne) {
  TamperedEngine engine(leave_alone);
  EXPECT_TRUE(check_engine(engine));
}

}  // namespace
}  // namespace jissoku::backends::cpu
