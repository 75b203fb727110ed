// One problem, measured: every variant of every device asked for, proved, then timed side by side.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "jissoku/experiments/ceilings.hpp"
#include "jissoku/experiments/datasheet.hpp"
#include "jissoku/experiments/matmul/matmul.hpp"
#include "jissoku/experiments/matmul/operands.hpp"
#include "jissoku/experiments/matmul/round_trip.hpp"
#include "jissoku/experiments/session.hpp"
#include "jissoku/measure/sampler.hpp"

namespace jissoku::experiments::matmul {

/// An opened device with what was asked of it and the ceilings it was found to have.
struct Station {
  Session session;
  bool oracle = false;
  bool choose = false;             ///< asked for without a variant: name the best
  std::set<std::string> variants;  ///< asked for by name
  int threads = 0;                 ///< 0: the notion does not apply
  std::optional<DatasheetDevice> datasheet;
  std::optional<document::Ceiling> memory;
  std::map<numerics::DataType, std::optional<FmaCeiling>> fma;
};

/// What a contest is held on. All outlive it.
struct Arena {
  const Context& context;
  const Params& params;
  std::vector<Station*> stations;  ///< whose rounds are shared
  measure::Clock& clock;           ///< a modelled device's own, else the context's
};

/// What a station has of a problem while it is measured.
struct Setting {
  Operands operands;
  std::optional<RoundTrip> trip;  ///< only where data reach the device by copies
};

/// A variant of a device in the contest, with its row as far as it is known.
struct Contestant {
  Station* station = nullptr;
  Setting* setting = nullptr;
  device::Gemm gemm;
  document::Row row;
  bool with_copies = false;                ///< A and B come from the host, C goes back, every time
  bool wanted = true;                      ///< its row was asked for; else it only competes for the choice
  std::unique_ptr<DeviceSubject> subject;  ///< only if it is to be timed
  measure::Measurement measurement;
};

struct Outcome {
  std::vector<document::Row> rows;
  bool interrupted = false;
};

class Contest {
 public:
  Contest(const Arena& arena, const Problem& problem);
  ~Contest();
  Contest(const Contest&) = delete;
  Contest& operator=(const Contest&) = delete;

  /// Ids of the rows it would give, for --filter and --resume; opens and allocates nothing.
  std::vector<std::string> row_ids() const;
  /// How many variants will be timed.
  int subjects() const;
  core::Result<Outcome> run(std::int64_t budget_ns,
                            std::function<void(const measure::Progress&)> on_progress);
  /// After run: the quickest subject whose result was right, for the noise floor; nullptr if there is none.
  /// Owned by the contest.
  measure::Subject* quickest() const;
  measure::SamplerOptions sampler_options(std::int64_t budget_ns) const;
  /// The probe beside the samples: the host's multiply-add loop, or nullptr.
  measure::Subject* probe();

 private:
  bool selected(const std::string& row_id) const;
  bool is_modelled() const;
  /// The row of the station's best variant as far as it is known, if it was asked for.
  std::optional<document::Row> chosen_row(const Station& station, bool with_copies) const;
  void enter(Station& station, const device::Variant& variant, bool with_copies);
  core::Result<Setting> set_up(Station& station) const;
  void prove_all();
  void prove(Station& station, Setting& setting);
  void prove_one(Contestant& contestant, Setting& setting, bool exact);
  void prove_timed();
  /// Median of the quickest; what a dropped one is compared with.
  double best_time_ns() const;
  const FmaCeiling* fma_of(Station& station) const;
  void add_ceilings(Contestant& contestant);
  void conclude(Outcome& outcome);
  void add_chosen_rows(Outcome& outcome);
  void add_chosen_row(const Station& station, bool with_copies, Outcome& outcome);
  void set_baseline(std::vector<document::Row>& rows) const;

  Arena arena_;
  Problem problem_;
  std::deque<Contestant> contestants_;
  std::deque<Setting> settings_;
  std::unique_ptr<DeviceSubject> probe_;
};

}  // namespace jissoku::experiments::matmul
