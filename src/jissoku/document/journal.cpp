#include "jissoku/document/journal.hpp"

#include <algorithm>
#include <ctime>
#include <unistd.h>
#include <utility>

#include "jissoku/document/files.hpp"
#include "jissoku/document/parts.hpp"
#include "jissoku/document/serialise.hpp"

namespace jissoku::document {
namespace {

std::string journal_of(const std::string& path) {
  return path + ".journal";
}

/// Writes the journal of what is known so far into place and keeps it open and locked.
core::Result<core::Descriptor> start_journal(const std::string& path, const Document& document) {
  if (auto prepared = prepare_target(path); !prepared) {
    return prepared.error();
  }
  const std::string journal = journal_of(path);
  const auto locked = open_locked(journal);
  if (!locked) {
    return locked.error();
  }
  std::string text;
  for (const Part& part : parts_of(document)) {
    text += to_line(part);
  }
  auto written = replace_file(journal, text);
  if (!written && !has_content(journal)) {
    ::unlink(journal.c_str());  // just made for the lock
  }
  return written;
}

}  // namespace

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::string(text, length);
}

struct Journal::State {
  Document document;
  std::string path;  ///< empty: in memory
  core::Descriptor file;
  std::optional<core::Error> failure;

  void add(Part part) {
    // After a failure the journal ends with the last whole line: later ones could only follow a gap.
    if (file.is_open() && !failure) {
      if (auto appended = append(file, to_line(part), journal_of(path)); !appended) {
        failure = appended.error();
      }
    }
    add_part(document, std::move(part));
  }
};

Journal::Journal() : state_(std::make_unique<State>()) {}
Journal::~Journal() = default;

core::Result<std::unique_ptr<Journal>> Journal::create(const std::string& path, Header header) {
  Document document;
  document.header = std::move(header);
  return resume(path, std::move(document));
}

core::Result<std::unique_ptr<Journal>> Journal::resume(const std::string& path, Document existing) {
  existing.complete = false;
  existing.finished_at.clear();
  auto file = start_journal(path, existing);
  if (!file) {
    return file.error();
  }
  std::unique_ptr<Journal> journal(new Journal());
  journal->state_->document = std::move(existing);
  journal->state_->path = path;
  journal->state_->file = std::move(*file);
  return journal;
}

std::unique_ptr<Journal> Journal::in_memory(Header header) {
  std::unique_ptr<Journal> journal(new Journal());
  journal->state_->document.header = std::move(header);
  return journal;
}

void Journal::plan(std::vector<PlannedCase> cases) {
  state_->add(std::move(cases));
}
void Journal::noise_floor(double relative) {
  state_->add(NoiseFloor{relative});
}
void Journal::row(Row row) {
  state_->add(std::move(row));
}
void Journal::finding(Finding finding) {
  state_->add(std::move(finding));
}
void Journal::fit(Fit fit) {
  state_->add(std::move(fit));
}
void Journal::series(Series series) {
  state_->add(std::move(series));
}
void Journal::attachment(Attachment attachment) {
  state_->add(std::move(attachment));
}

bool Journal::has_row(const std::string& id) const {
  const std::vector<Row>& rows = state_->document.rows;
  return std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.id == id; });
}

const Document& Journal::document() const {
  return state_->document;
}

core::Status Journal::health() const {
  return state_->failure ? core::Status(*state_->failure) : core::Status();
}

core::Status Journal::finish() {
  Document& document = state_->document;
  document.complete = true;
  document.finished_at = utc_now();
  if (!state_->file.is_open()) {
    return {};
  }
  if (auto written = replace_file(state_->path, to_json(document)); !written) {
    return written.error();
  }
  ::unlink(journal_of(state_->path).c_str());
  state_->file.close();  // only now: another run may start
  return {};
}

}  // namespace jissoku::document
