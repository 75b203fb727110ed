// Where experiments put what they find, as they find it.
#pragma once

#include "jissoku/document/model.hpp"

namespace jissoku::document {

/// A part given again replaces the earlier one, so that a resumed run does not double anything: cases and
/// rows by id, fits and series by id and device, attachments by id, findings by id where the new one
/// rests on at least the same rows (findings without rows: where they say the same).
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void plan(std::vector<PlannedCase> cases) = 0;
  virtual void noise_floor(double relative) = 0;
  virtual void row(Row row) = 0;
  virtual void finding(Finding finding) = 0;
  virtual void fit(Fit fit) = 0;
  virtual void series(Series series) = 0;
  virtual void attachment(Attachment attachment) = 0;
  /// True if a row of this id is already there (--resume): the case need not run.
  virtual bool has_row(const std::string& id) const = 0;
  /// What there is so far, a resumed run's earlier part included: what findings rest on.
  virtual const Document& document() const = 0;
};

}  // namespace jissoku::document
