// Writing a run so that nothing is ever half a file. During the run every part is appended as one
// line of JSON to `<path>.journal`, flushed to disk before the next case starts; a kill loses at most the
// row in flight. `finish` writes the whole document beside it and renames it into place atomically,
// then removes the journal. Reading: serialise.hpp takes both.
#pragma once

#include <memory>
#include <string>

#include "jissoku/core/result.hpp"
#include "jissoku/document/row_sink.hpp"

namespace jissoku::document {

/// The time as documents write it: "2026-12-01T09:30:00Z".
std::string utc_now();

class Journal final : public RowSink {
 public:
  /// A new run at `path` ("out/run.json"). Creates folders. Fails with `unwritable` (path and
  /// reason: permission, no space, read-only, is a folder). An existing document at `path` stays until
  /// `finish`; the journal of an earlier run that was cut short is replaced. Holds a lock so that two
  /// runs do not write one journal: the second fails with `unwritable`.
  static core::Result<std::unique_ptr<Journal>> create(const std::string& path, Header header);
  /// Continues `existing`, as read from `path` or its journal. The journal is written anew with all
  /// of it, so that a kill of the resumed run loses nothing either.
  static core::Result<std::unique_ptr<Journal>> resume(const std::string& path, Document existing);
  /// A journal without files: keeps the document in memory only (`--json -`, or no --out).
  static std::unique_ptr<Journal> in_memory(Header header);

  ~Journal() override;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  void plan(std::vector<PlannedCase> cases) override;
  void noise_floor(double relative) override;
  void row(Row row) override;
  void finding(Finding finding) override;
  void fit(Fit fit) override;
  void series(Series series) override;
  void attachment(Attachment attachment) override;
  bool has_row(const std::string& id) const override;

  /// The document so far.
  const Document& document() const override;
  /// The first write error, if any: rows stay in memory and the run goes on to print them.
  core::Status health() const;
  /// Marks the document complete and puts it into place; in memory it only marks it. On failure the
  /// journal stays. Tries even after a write error: the whole document may fit where the journal did not.
  core::Status finish();

 private:
  Journal();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace jissoku::document
