// Where experiments put what they find, as they find it.
#pragma once

#include "jissoku/document/model.hpp"

namespace jissoku::document {

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
};

}  // namespace jissoku::document
