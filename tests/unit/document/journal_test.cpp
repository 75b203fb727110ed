#include "jissoku/document/journal.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jissoku/document/parts.hpp"
#include "jissoku/document/serialise.hpp"
#include "support/documents.hpp"
#include "support/temporary_folder.hpp"

namespace jissoku::document {
namespace {

using core::ExitCode;
using testing::ElementsAre;
using tests::TemporaryFolder;

Header header() {
  Header header;
  header.tool_version = "1.2.3";
  header.arguments = {"matmul", "--n", "64"};
  header.started_at = "2026-01-02T03:04:05Z";
  return header;
}

Row row(const std::string& id, double flops = 1) {
  Row row;
  row.id = id;
  row.flops = flops;
  return row;
}

std::vector<std::string> ids(const std::vector<Row>& rows) {
  std::vector<std::string> ids;
  ids.reserve(rows.size());
  for (const Row& row : rows) {
    ids.push_back(row.id);
  }
  return ids;
}

template <typename T>
core::Error error_of(const core::Result<T>& result) {
  EXPECT_FALSE(result.ok());
  return result.ok() ? core::Error{} : result.error();
}

std::string text(const core::Error& error, const std::string& argument) {
  const core::Value* value = error.message.find(argument);
  return value != nullptr && std::holds_alternative<std::string>(*value) ? std::get<std::string>(*value) : "";
}

/// Whether `check` holds in a child process that may change its limits and its user.
bool holds_in_child(const std::function<bool()>& check) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(check() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class JournalTest : public testing::Test {
 protected:
  std::unique_ptr<Journal> create() {
    auto journal = Journal::create(path_, header());
    EXPECT_TRUE(journal.ok());
    return journal.ok() ? std::move(*journal) : nullptr;
  }
  bool exists(const std::string& suffix) const { return std::filesystem::exists(path_ + suffix); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("run.json");
};

TEST_F(JournalTest, ARowIsOnDiskWhenTheCallReturns) {
  const auto journal = create();
  journal->row(row("a"));
  EXPECT_FALSE(exists("")) << "no document before the end";
  const auto read = read_document(path_);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->header.arguments, header().arguments);
  EXPECT_THAT(ids(read->rows), ElementsAre("a"));
  EXPECT_FALSE(read->complete);
  EXPECT_TRUE(read_document(path_ + ".journal").ok()) << "also by its own name";
}

TEST_F(JournalTest, EveryPartIsKept) {
  const auto written = tests::RandomDocuments(5).make<Document>();
  const auto journal = Journal::create(path_, written.header);
  ASSERT_TRUE(journal.ok());
  (*journal)->plan({{"case", true, 5, {}}});
  (*journal)->noise_floor(0.25);
  (*journal)->row(row("r"));
  (*journal)->fit({"f", "latency", "cpu", {}, {}});
  (*journal)->series({"s", "cpu", "x", "y", "", "", {1}, {2}});
  (*journal)->attachment({"a", "table", "text/csv", "", "1,2"});
  (*journal)->finding({"v", "info", core::message("x"), {}});
  const auto read = read_document(path_);
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(tests::comes_back((*journal)->document(), *read));
  EXPECT_EQ(read->noise_floor, 0.25);
  EXPECT_EQ(read->attachments.at(0).content, "1,2");
}

TEST_F(JournalTest, FinishPutsTheWholeDocumentIntoPlace) {
  const auto journal = create();
  journal->row(row("a"));
  ASSERT_TRUE(journal->finish().ok());
  EXPECT_EQ(files(), 1U) << "only the document";
  const auto read = read_document(path_);
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->complete);
  EXPECT_THAT(read->finished_at, testing::MatchesRegex("20..-..-..T..:..:..Z"));
  EXPECT_EQ(folder_.read("run.json"), to_json(journal->document()));
}

TEST_F(JournalTest, AnEarlierDocumentStaysUntilTheEnd) {
  folder_.put("run.json", "precious");
  const auto journal = create();
  journal->row(row("a"));
  EXPECT_EQ(folder_.read("run.json"), "precious");
  ASSERT_TRUE(journal->finish().ok());
  EXPECT_NE(folder_.read("run.json"), "precious");
}

TEST_F(JournalTest, ASymbolicLinkStaysOne) {
  folder_.put("elsewhere.json", "old");
  std::filesystem::create_symlink("elsewhere.json", path_);
  ASSERT_TRUE(create()->finish().ok());
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_NE(folder_.read("elsewhere.json"), "old");
}

TEST_F(JournalTest, InMemoryLeavesNoFiles) {
  const auto journal = Journal::in_memory(header());
  journal->row(row("a"));
  EXPECT_TRUE(journal->finish().ok());
  EXPECT_TRUE(journal->document().complete);
  EXPECT_TRUE(journal->has_row("a"));
  EXPECT_EQ(files(), 0U);
}

TEST_F(JournalTest, CreatesFolders) {
  const std::string deep = folder_.file("a/b/run.json");
  const auto journal = Journal::create(deep, header());
  ASSERT_TRUE(journal.ok());
  EXPECT_TRUE((*journal)->finish().ok());
  EXPECT_TRUE(read_document(deep).ok());
}

TEST_F(JournalTest, AcceptsARelativePath) {
  EXPECT_TRUE(holds_in_child([&] {
    const bool entered = chdir(folder_.path().c_str()) == 0;
    const auto journal = Journal::create("run.json", header());
    return entered && journal.ok() && (*journal)->finish().ok() && read_document("run.json").ok();
  }));
}

TEST_F(JournalTest, APartGivenAgainReplacesTheEarlierOne) {
  const auto journal = create();
  journal->row(row("a", 1));
  journal->row(row("b", 2));
  journal->row(row("a", 3));
  journal->plan({{"x", false, 1, {}}, {"y", false, 1, {}}});
  journal->plan({{"x", true, 2, {}}, {"z", true, 2, {}}});
  journal->fit({"f", "old", "cpu", {}, {}});
  journal->fit({"f", "other", "opencl:0", {}, {}});
  journal->fit({"f", "new", "cpu", {}, {}});
  const Document read = *read_document(path_);
  EXPECT_TRUE(tests::comes_back(journal->document(), read));
  EXPECT_THAT(ids(read.rows), ElementsAre("a", "b"));
  EXPECT_EQ(read.rows[0].flops, 3);
  ASSERT_EQ(read.plan.size(), 3U);
  EXPECT_TRUE(read.plan[0].run);
  ASSERT_EQ(read.fits.size(), 2U);
  EXPECT_EQ(read.fits[0].model, "new");
}

TEST_F(JournalTest, AFindingReplacesTheOneItCovers) {
  const auto journal = Journal::in_memory(header());
  const core::Message words = core::message("a"), others = core::message("b");
  journal->finding({"verdict", "info", words, {"r1"}});
  journal->finding({"verdict", "info", others, {"r2", "r1"}});  // knows one row more
  journal->finding({"slow", "advice", words, {"r1"}});
  journal->finding({"slow", "advice", words, {"r2"}});  // about another row
  journal->finding({"missing", "info", words, {}});
  journal->finding({"missing", "info", others, {}});  // says something else
  journal->finding({"missing", "info", words, {}});
  const std::vector<Finding>& found = journal->document().findings;
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(found[0].message, others);
  EXPECT_EQ(found[1].id, "slow");
  EXPECT_EQ(found[2].id, "slow");
}

TEST_F(JournalTest, TwoRunsDoNotShareOne) {
  auto first = create();
  const core::Error error = error_of(Journal::create(path_, header()));
  EXPECT_EQ(error.exit_code, ExitCode::unwritable);
  EXPECT_EQ(error.message.id, "document.locked");
  EXPECT_EQ(text(error, "path"), path_ + ".journal");
  EXPECT_EQ(error_of(Journal::resume(path_, Document())).message.id, "document.locked");
  EXPECT_TRUE(holds_in_child([&] { return !Journal::create(path_, header()).ok(); }));
  first->row(row("a"));
  EXPECT_THAT(ids(read_document(path_)->rows), ElementsAre("a")) << "the second one did no harm";
  first.reset();
  EXPECT_TRUE(Journal::create(path_, header()).ok()) << "the lock ends with the run";
}

TEST_F(JournalTest, AfterItsEndAnotherRunMayStart) {
  const auto first = create();
  ASSERT_TRUE(first->finish().ok());
  EXPECT_TRUE(Journal::create(path_, header()).ok());
}

// --- Resuming

TEST_F(JournalTest, ResumeContinuesAJournal) {
  create()->row(row("a"));
  auto existing = read_unfinished(path_);
  ASSERT_TRUE(existing.ok());
  const auto journal = Journal::resume(path_, *existing);
  ASSERT_TRUE(journal.ok());
  EXPECT_TRUE((*journal)->has_row("a"));
  EXPECT_FALSE((*journal)->has_row("b"));
  (*journal)->row(row("b"));
  EXPECT_THAT(ids(read_document(path_)->rows), ElementsAre("a", "b")) << "a second kill loses nothing";
  ASSERT_TRUE((*journal)->finish().ok());
  EXPECT_THAT(ids(read_document(path_)->rows), ElementsAre("a", "b"));
  EXPECT_EQ(files(), 1U);
}

TEST_F(JournalTest, ResumeContinuesADocumentThatIsNotComplete) {
  Document existing;
  existing.header = header();
  existing.rows = {row("a")};
  existing.noise_floor = 0.5;
  folder_.put("run.json", to_json(existing));
  const auto journal = Journal::resume(path_, *read_unfinished(path_));
  ASSERT_TRUE(journal.ok());
  (*journal)->row(row("b"));
  const auto killed = read_document(path_);  // the document has "a", its journal both
  EXPECT_THAT(ids(killed->rows), ElementsAre("a", "b"));
  EXPECT_EQ(killed->noise_floor, 0.5);
  ASSERT_TRUE((*journal)->finish().ok());
  EXPECT_THAT(ids(read_document(path_)->rows), ElementsAre("a", "b"));
}

TEST_F(JournalTest, ACompleteDocumentIsReadAndTheNewerJournalBesideItResumed) {
  Document old;
  old.header = header();
  old.header.started_at = "2025-01-01T00:00:00Z";
  old.rows = {row("old")};
  old.complete = true;
  folder_.put("run.json", to_json(old));
  create()->row(row("new"));
  EXPECT_THAT(ids(read_document(path_)->rows), ElementsAre("old"));
  EXPECT_THAT(ids(read_unfinished(path_)->rows), ElementsAre("new"));
}

TEST_F(JournalTest, AJournalLeftBesideItsOwnCompleteDocumentIsOver) {
  const auto journal = create();
  journal->row(row("a"));
  std::filesystem::copy_file(path_ + ".journal", folder_.file("kept"));
  ASSERT_TRUE(journal->finish().ok());
  std::filesystem::rename(folder_.file("kept"), path_ + ".journal");  // as if killed before the removal
  EXPECT_TRUE(read_unfinished(path_)->complete);
}

TEST_F(JournalTest, AForeignJournalDoesNotHideAnIncompleteDocument) {
  Document existing;
  existing.header = header();
  existing.rows = {row("a")};
  folder_.put("run.json", to_json(existing));
  folder_.put("run.json.journal", "something else\n");
  EXPECT_THAT(ids(read_document(path_)->rows), ElementsAre("a"));
  EXPECT_FALSE(read_unfinished(path_).ok());
}

TEST_F(JournalTest, AnEmptyJournalIsNone) {
  folder_.put("run.json.journal", "");  // killed between taking the lock and writing
  EXPECT_EQ(error_of(read_document(path_)).message.id, "document.unreadable");
  EXPECT_EQ(error_of(read_unfinished(path_)).message.id, "document.unreadable");
  EXPECT_TRUE(Journal::create(path_, header()).ok());
}

// --- Damage

std::string small_journal() {
  Document document;
  document.header = header();
  document.plan = {{"a", true, 1, {}}};
  document.rows = {row("a"), row("\xe5\xae\x9f")};
  std::string text;
  for (const Part& part : parts_of(document)) {
    text += to_line(part);
  }
  return text;
}

TEST(JournalText, TornAtAnyByteKeepsAllWholeLines) {
  const std::string text = small_journal();
  const std::size_t header_end = text.find('\n');  // the header is put into place whole
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const auto read = parse_journal(text.substr(0, length), "j");
    if (length < header_end) {
      EXPECT_EQ(read.ok(), length == 0) << length;
      continue;
    }
    ASSERT_TRUE(read.ok()) << length;
    // A line counts once its last brace is there.
    const auto whole = static_cast<std::size_t>(std::count(
                           text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length), '\n')) +
                       (length < text.size() && text[length] == '\n' ? 1 : 0);
    EXPECT_EQ(1 + read->plan.size() + read->rows.size(), whole) << length;
  }
}

TEST(JournalText, ALastLineOfGarbageIsDropped) {
  EXPECT_EQ(parse_journal(small_journal() + std::string(500, '\0'), "j")->rows.size(), 2U);
  EXPECT_EQ(parse_journal(small_journal() + "garbage\n", "j")->rows.size(), 2U);
}

TEST(JournalText, DamageBeforeTheLastLineIsAnErrorThatSaysWhere) {
  std::string text = small_journal();
  const std::size_t second = text.find('\n') + 1;
  text[second + 3] = '"';  // ends the key too early
  const core::Error error = error_of(parse_journal(text, "j"));
  EXPECT_EQ(error.exit_code, ExitCode::unreadable);
  EXPECT_EQ(error.message.id, "document.damaged_journal");
  EXPECT_EQ(*error.message.find("line"), core::Value(std::int64_t{2}));
  const auto byte = std::get<std::int64_t>(*error.message.find("byte"));
  EXPECT_GE(byte, static_cast<std::int64_t>(second + 4));
  EXPECT_LE(byte, static_cast<std::int64_t>(second + 6));
  EXPECT_FALSE(parse_journal(text.replace(second, 5, "\n"), "j").ok()) << "an empty line";
}

TEST(JournalText, AWrongTypeNamesItsLineAndKey) {
  const core::Error error =
      error_of(parse_journal(small_journal() + R"({"row":{"flops":"many"}})" + "\n", "j"));
  EXPECT_EQ(error.message.id, "document.wrong_type");
  EXPECT_EQ(text(error, "path"), "j:5");
  EXPECT_EQ(text(error, "key"), "row.flops");
}

TEST(JournalText, AnotherFormatIsRefused) {
  EXPECT_EQ(error_of(parse_journal(R"({"journal":"2.0","header":3})", "j")).message.id, "document.newer");
  EXPECT_EQ(error_of(parse_journal(R"({"journal":7})", "j")).message.id, "document.not_a_run");
  EXPECT_EQ(error_of(parse_journal(R"({"row":{}})", "j")).message.id, "document.not_a_run");
}

TEST(JournalText, PartsOfANewerMinorVersionAreIgnored) {
  const auto read =
      parse_journal("{\"journal\":\"1.9\",\"header\":{}}\n{\"dream\":[1]}\n{\"row\":{\"id\":\"a\"}}\n", "j");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->schema_minor, 9);
  EXPECT_THAT(ids(read->rows), ElementsAre("a"));
}

// --- What cannot be written

TEST_F(JournalTest, SaysWhyAPlaceCannotBeWritten) {
  const auto reason_at = [](const std::string& path) {
    const core::Error error = error_of(Journal::create(path, header()));
    EXPECT_EQ(error.exit_code, ExitCode::unwritable);
    EXPECT_EQ(error.message.id, "document.unwritable");
    EXPECT_EQ(text(error, "path"), path);
    return text(error, "reason");
  };
  EXPECT_EQ(reason_at(folder_.path()), "Is a directory");
  EXPECT_EQ(reason_at(folder_.put("file", "") + "/run.json"), "Not a directory");
  EXPECT_EQ(reason_at(folder_.file("new/")), "Is a directory");
  EXPECT_EQ(reason_at(folder_.file(std::string(300, 'x'))), "File name too long");
  EXPECT_NE(reason_at("/proc/nowhere/run.json"), "");
  std::filesystem::create_directory(path_ + ".journal");
  EXPECT_EQ(text(error_of(Journal::create(path_, header())), "path"), path_ + ".journal");
}

TEST_F(JournalTest, RefusesWhatIsNoFile) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(error_of(Journal::create(path_, header())).message.id, "document.not_a_file");
  EXPECT_EQ(files(), 1U);
}

TEST_F(JournalTest, RespectsPermissions) {
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0777));
  folder_.put("protected.json", "old");
  std::filesystem::permissions(folder_.file("protected.json"), std::filesystem::perms(0444));
  std::filesystem::create_directory(folder_.file("closed"));
  std::filesystem::permissions(folder_.file("closed"), std::filesystem::perms(0555));
  const auto is_refused = [&](const std::string& name) {
    return holds_in_child([&] {
      constexpr uid_t kNobody = 65534;
      const bool is_root = geteuid() == 0;  // who may write everything
      if (is_root && setuid(kNobody) != 0) {
        return false;
      }
      const auto journal = Journal::create(folder_.file(name), header());
      return !journal.ok() && journal.error().exit_code == ExitCode::unwritable &&
             text(journal.error(), "reason") == "Permission denied";
    });
  };
  EXPECT_TRUE(is_refused("protected.json"));
  EXPECT_TRUE(is_refused("closed/run.json"));
  EXPECT_FALSE(is_refused("free.json"));
  EXPECT_EQ(folder_.read("protected.json"), "old");
}

// A limit on the size of files stands in for a full disk.
bool limit_file_size(std::size_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  return setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

TEST_F(JournalTest, OnAFullDiskTheRunGoesOnInMemory) {
  EXPECT_TRUE(holds_in_child([&] {
    const auto journal = Journal::create(path_, header());
    bool good = journal.ok();
    (*journal)->row(row("a"));
    good = good && (*journal)->health().ok() && limit_file_size(folder_.read("run.json.journal").size() + 10);
    (*journal)->row(row("b"));
    (*journal)->row(row("c"));
    const auto health = (*journal)->health();
    return good && !health.ok() && health.error().exit_code == ExitCode::unwritable &&
           text(health.error(), "path") == path_ + ".journal" &&
           text(health.error(), "reason") == "File too large" && (*journal)->document().rows.size() == 3 &&
           (*journal)->has_row("c") && !(*journal)->finish().ok();
  }));
  EXPECT_THAT(ids(read_document(path_)->rows), ElementsAre("a")) << "the journal is whole up to there";
  EXPECT_EQ(files(), 1U) << "nothing half-written stays";
}

TEST_F(JournalTest, AFullDiskAtTheEndKeepsTheJournalAndTheEarlierDocument) {
  folder_.put("run.json", "precious");
  EXPECT_TRUE(holds_in_child([&] {
    const auto journal = Journal::create(path_, header());
    (*journal)->row(row("a"));
    if (!limit_file_size(100)) {
      return false;
    }
    const auto status = (*journal)->finish();
    return !status.ok() && status.error().message.id == "document.unwritable" &&
           text(status.error(), "path") == path_;
  }));
  EXPECT_EQ(folder_.read("run.json"), "precious");
  EXPECT_THAT(ids(read_unfinished(path_)->rows), ElementsAre("a"));
  EXPECT_EQ(files(), 2U);
}

TEST_F(JournalTest, AFullDiskAtTheStartLeavesNothing) {
  EXPECT_TRUE(holds_in_child([&] { return limit_file_size(20) && !Journal::create(path_, header()).ok(); }));
  EXPECT_EQ(files(), 0U);
}

TEST_F(JournalTest, AFullDiskAtTheStartKeepsTheEarlierJournal) {
  create()->row(row("a"));
  EXPECT_TRUE(holds_in_child([&] { return limit_file_size(20) && !Journal::create(path_, header()).ok(); }));
  EXPECT_THAT(ids(read_unfinished(path_)->rows), ElementsAre("a"));
}

}  // namespace
}  // namespace jissoku::document
