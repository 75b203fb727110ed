// Reading a run from disk: the document, or the journal of a run that was cut short.
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <unistd.h>

#include "jissoku/document/files.hpp"
#include "jissoku/document/parts.hpp"
#include "jissoku/document/serialise.hpp"

namespace jissoku::document {
namespace {

std::string journal_of(const std::string& path) {
  return path + ".journal";
}

core::Result<Document> read_file(const std::string& path) {
  const auto text = read_text(path);
  if (!text) {
    return text.error();
  }
  const bool journal = text->compare(0, kJournalStart.size(), kJournalStart) == 0;
  return journal ? parse_journal(*text, path) : parse_document(*text, path);
}

bool is_same_run(const Document& left, const Document& right) {
  return left.header.started_at == right.header.started_at && left.header.arguments == right.header.arguments;
}

}  // namespace

core::Result<Document> read_document(const std::string& path) {
  const std::string journal = journal_of(path);
  std::error_code unreachable;  // reading says why
  if (!std::filesystem::exists(path, unreachable) && has_content(journal)) {
    return read_file(journal);
  }
  auto document = read_file(path);
  if (!document || document->complete || !has_content(journal)) {
    return document;
  }
  // An interrupted run leaves both; once it is resumed, its journal has more.
  auto more = read_file(journal);
  return more && is_same_run(*document, *more) ? more : document;
}

core::Result<Document> read_unfinished(const std::string& path) {
  const std::string journal = journal_of(path);
  if (!has_content(journal)) {
    return read_document(path);
  }
  auto unfinished = read_file(journal);
  if (!unfinished) {
    return unfinished;
  }
  // A run that was killed after its document was in place, just before it removed the journal.
  auto document = read_file(path);
  return document && document->complete && is_same_run(*document, *unfinished) ? document : unfinished;
}

}  // namespace jissoku::document
