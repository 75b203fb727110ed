// A run killed at any instant loses at most the row in flight, and resuming completes it.
#include <algorithm>
#include <csignal>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "jissoku/document/journal.hpp"
#include "jissoku/document/serialise.hpp"
#include "support/documents.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace jissoku::tests {
namespace {

using document::Document;
using document::Journal;

constexpr int kRows = 12;  // each is flushed to disk, which is what takes the time

document::Row row(int number) {
  document::Row row = measured_row("cpu", std::vector<double>(static_cast<std::size_t>(number % 7), 1.0));
  row.id = "row " + std::to_string(number);
  return row;
}

/// Measures what is not there yet; says after each row, and after the end, how many are durable.
[[noreturn]] void run(const std::string& path, bool resume, int acknowledgements) {
  const auto acknowledge = [&](int rows) {
    const auto byte = static_cast<char>(rows);
    static_cast<void>(!write(acknowledgements, &byte, 1));
  };
  auto existing = resume ? document::read_unfinished(path) : core::Result<Document>(Document());
  if (!existing) {
    _exit(1);
  }
  auto journal = resume ? Journal::resume(path, *existing) : Journal::create(path, {});
  if (!journal) {
    _exit(2);
  }
  for (int i = 0; i < kRows; ++i) {
    if (!(*journal)->has_row(row(i).id)) {
      (*journal)->row(row(i));
      if (!(*journal)->health()) {
        _exit(3);
      }
    }
    acknowledge(i + 1);
  }
  _exit((*journal)->finish() ? 0 : 4);
}

struct Killed {
  int acknowledged = 0;  ///< rows that were durable for certain
  bool ended = false;    ///< it was faster than the kill
  int exit_code = 0;
};

/// Kills the run when it has acknowledged `after` rows and `extra_ns` more have passed.
Killed run_and_kill(const std::string& path, bool resume, int after, long extra_ns) {
  const detail::Pipe pipe = detail::make_pipe();
  const pid_t child = fork();
  if (child == 0) {
    run(path, resume, pipe.write_end);
  }
  close(pipe.write_end);
  Killed killed;
  char byte = 0;
  while (killed.acknowledged < after && read(pipe.read_end, &byte, 1) == 1) {
    killed.acknowledged = byte;
  }
  timespec start{}, now{};
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1'000'000'000 + now.tv_nsec - start.tv_nsec < extra_ns);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  while (read(pipe.read_end, &byte, 1) == 1) {
    killed.acknowledged = byte;
  }
  close(pipe.read_end);
  killed.ended = WIFEXITED(status);
  killed.exit_code = killed.ended ? WEXITSTATUS(status) : 0;
  return killed;
}

/// Rows 0, 1, ... in order, each as it was written; returns how many.
int check_rows(const Document& found) {
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    EXPECT_TRUE(comes_back(row(static_cast<int>(i)), found.rows[i])) << i;
  }
  return static_cast<int>(found.rows.size());
}

TEST(Kill, LosesAtMostTheRowInFlightAndResumeCompletes) {
  constexpr int kKills = 200;
  std::mt19937 random(20260102);
  int cut_short = 0;
  for (int attempt = 0; attempt < kKills; ++attempt) {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.json");
    int durable = 0;
    // Half of the runs are killed a second time, while they resume.
    for (const bool resume : {false, true}) {
      const int after = static_cast<int>(random() % (kRows + 1));
      const Killed killed =
          run_and_kill(path, resume, std::max(after, 1), static_cast<long>(random() % 400'000));
      ASSERT_EQ(killed.exit_code, 0) << attempt;
      cut_short += killed.ended ? 0 : 1;
      durable = std::max(durable, killed.acknowledged);
      const auto found = document::read_unfinished(path);
      ASSERT_TRUE(found.ok()) << attempt << ": " << found.error().message.id;
      const int rows = check_rows(*found);
      EXPECT_GE(rows, durable) << attempt;
      EXPECT_LE(rows, durable + 1) << attempt;
      EXPECT_TRUE(document::read_document(path).ok()) << attempt;
      if (found->complete || attempt % 2 == 0) {
        break;
      }
    }
    auto existing = document::read_unfinished(path);
    ASSERT_TRUE(existing.ok());
    if (!existing->complete) {
      auto journal = Journal::resume(path, *existing);
      ASSERT_TRUE(journal.ok()) << attempt;
      for (int i = static_cast<int>(existing->rows.size()); i < kRows; ++i) {
        (*journal)->row(row(i));
      }
      ASSERT_TRUE((*journal)->finish().ok());
    }
    const auto whole = document::read_document(path);
    ASSERT_TRUE(whole.ok());
    EXPECT_TRUE(whole->complete);
    EXPECT_EQ(check_rows(*whole), kRows) << attempt;
  }
  EXPECT_GT(cut_short, kKills / 2) << "the kills must hit runs that are under way";
}

}  // namespace
}  // namespace jissoku::tests
