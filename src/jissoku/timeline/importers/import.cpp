#include "jissoku/timeline/importers/import.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "jissoku/timeline/finish.hpp"
#include "jissoku/timeline/importers/chrome.hpp"
#include "jissoku/timeline/importers/nsight.hpp"
#include "jissoku/timeline/importers/rocprof.hpp"
#include "jissoku/timeline/importers/source.hpp"
#include "jissoku/timeline/importers/window.hpp"

namespace jissoku::timeline::importers {
namespace {

using core::ExitCode;
using core::make_error;

constexpr std::size_t kHead = 4096;
constexpr std::string_view kSqliteMagic = "SQLite format 3";

/// Whether it may be JSON, judged by its first bytes: a JPEG is not worth scanning to its end.
bool may_be_json(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string_view::npos) {
    return false;
  }
  if (head[first] == '{' || head[first] == '[') {
    return true;
  }
  // The beginning may be lost: then the rest is still text with keys.
  return head.find('\0') == std::string_view::npos && head.find("\":") != std::string_view::npos;
}

/// Reads one document. `read` gives its bytes.
core::Result<Timeline> import_document(const std::string& path,
                                       std::string_view head,
                                       const Window::Read& read) {
  Timeline timeline;
  timeline.path = path;
  if (!may_be_json(head)) {
    return make_error(ExitCode::unreadable, "timeline.not_a_trace", {{"path", path}});
  }
  Window window(read);
  window.refill(window.begin());
  const bool rocprof = is_rocprof(head);
  const bool found = rocprof ? read_rocprof(window, timeline) : read_chrome(window, timeline);
  timeline.raw_bytes = static_cast<std::int64_t>(window.bytes_read());
  // Without events it may still say whose trace it is.
  if (!found || (timeline.events_in_file == 0 && timeline.rank < 0 && timeline.devices.empty())) {
    const Repairs& repairs = timeline.repairs;
    return make_error(
        ExitCode::unreadable,
        found && repairs[Repair::truncated] > 0 ? "timeline.nothing_sound" : "timeline.no_events",
        {{"path", path}});
  }
  return timeline;
}

core::Result<std::vector<Timeline>> import_tar(const std::string& path, PeekSource& source) {
  std::vector<Timeline> timelines;
  std::vector<std::string> names;
  TarReader tar(source);
  for (std::string name = tar.next(); !name.empty(); name = tar.next()) {
    // A member may be packed once more.
    struct Member : Source {
      explicit Member(TarReader& reader) : tar(reader) {}
      std::size_t read(char* to, std::size_t capacity) override { return tar.read(to, capacity); }
      TarReader& tar;
    };
    PeekSource member(unpack(std::make_unique<Member>(tar)));
    const std::string head(member.peek(kHead));
    auto timeline = import_document(path + ":" + name, head, [&member](char* to, std::size_t capacity) {
      return member.read(to, capacity);
    });
    if (timeline) {
      timeline->repairs[Repair::corrupt_stream] += member.damaged() ? 1 : 0;
      timeline->repairs[Repair::truncated] += member.truncated() || tar.cut_short() ? 1 : 0;
      timelines.push_back(std::move(*timeline));
    }
  }
  if (timelines.empty()) {
    return make_error(ExitCode::unreadable, "timeline.archive_without_traces", {{"path", path}});
  }
  if (tar.cut_short()) {  // perhaps in a member of which nothing could be read
    timelines.back().repairs[Repair::truncated] = 1;
  }
  return timelines;
}

core::Result<std::vector<Timeline>> one(core::Result<Timeline>&& timeline) {
  if (!timeline) {
    return timeline.error();
  }
  std::vector<Timeline> out;
  out.push_back(std::move(*timeline));
  return out;
}

bool is_blank(std::string_view head) {
  return head.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

core::Result<std::vector<Timeline>> import_file(const std::string& path) {
  auto file = open_file(path);
  if (!file) {
    return file.error();
  }
  auto raw = std::make_unique<PeekSource>(std::move(*file));
  if (raw->peek(kSqliteMagic.size()) == kSqliteMagic) {
    return one(read_nsight(path));
  }
  PeekSource source(read_ahead(unpack(std::move(raw))));
  const std::string head(source.peek(kHead));
  if (head.starts_with(kSqliteMagic)) {  // SQLite reads files, not streams
    return make_error(ExitCode::unreadable, "timeline.packed_database", {{"path", path}});
  }
  const auto read = [&source](char* to, std::size_t capacity) { return source.read(to, capacity); };
  if (TarReader::is_tar(head)) {
    auto timelines = import_tar(path, source);
    if (timelines && (source.damaged() || source.truncated())) {
      timelines->back().repairs[source.damaged() ? Repair::corrupt_stream : Repair::truncated] += 1;
    }
    return timelines;
  }
  auto timeline = import_document(path, head, read);
  if (!timeline) {
    const bool lost = source.damaged() || source.truncated();
    const bool blank = is_blank(head) && head.size() < kHead;
    return !lost && !blank ? timeline.error()
                           : make_error(ExitCode::unreadable,
                                        lost ? "timeline.nothing_sound" : "timeline.empty_file",
                                        {{"path", path}});
  }
  timeline->repairs[Repair::corrupt_stream] += source.damaged() ? 1 : 0;
  timeline->repairs[Repair::truncated] +=
      source.truncated() && timeline->repairs[Repair::truncated] == 0 ? 1 : 0;
  return one(std::move(timeline));
}

/// The files of a folder that could be traces, sorted by name.
core::Result<std::vector<std::string>> files_of(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failure;
  for (std::filesystem::directory_iterator it(folder, failure), end; !failure && it != end;
       it.increment(failure)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored)) {
      files.push_back(it->path().string());
    }
  }
  if (failure) {
    return make_error(
        ExitCode::unreadable, "timeline.unreadable", {{"path", folder}, {"reason", failure.message()}});
  }
  std::sort(files.begin(), files.end());
  return files;
}

void append(std::vector<Timeline>& to, std::vector<Timeline>&& from) {
  for (Timeline& timeline : from) {
    finish(timeline);
    to.push_back(std::move(timeline));
  }
}

core::Status import_folder(const std::string& folder, std::vector<Timeline>& timelines) {
  const auto files = files_of(folder);
  if (!files) {
    return files.error();
  }
  const std::size_t before = timelines.size();
  for (const std::string& file : *files) {
    if (auto some = import_file(file)) {
      append(timelines, std::move(*some));
    }
  }
  if (timelines.size() == before) {
    return make_error(ExitCode::unreadable, "timeline.folder_without_traces", {{"path", folder}});
  }
  return {};
}

}  // namespace

core::Result<Timeline> import_text(const std::string& name, std::string_view text) {
  auto timeline = import_document(name, text.substr(0, kHead), [&text](char* to, std::size_t capacity) {
    const std::size_t taken = text.copy(to, capacity);
    text.remove_prefix(taken);
    return taken;
  });
  if (timeline) {
    finish(*timeline);
  }
  return timeline;
}

core::Result<std::vector<Timeline>> import_all(const std::vector<std::string>& paths) {
  std::vector<Timeline> timelines;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
      if (auto done = import_folder(path, timelines); !done) {
        return done.error();
      }
      continue;
    }
    auto some = import_file(path);
    if (!some) {
      return some.error();
    }
    append(timelines, std::move(*some));
  }
  for (std::size_t index = 0; index < timelines.size(); ++index) {
    Timeline& timeline = timelines[index];
    timeline.rank = timeline.rank < 0 ? static_cast<std::int64_t>(index) : timeline.rank;
  }
  return timelines;
}

}  // namespace jissoku::timeline::importers
