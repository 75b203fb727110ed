#include "jissoku/timeline/importers/database.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sqlite3.h>

namespace jissoku::timeline::importers {
namespace {

struct Finalise {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalise>;

Statement prepare(sqlite3* database, const std::string& query) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database, query.c_str(), -1, &statement, nullptr);
  return Statement(statement);
}

/// By the header (sqlite.org/fileformat2.html): the size of a page, and how many there are. SQLite itself
/// takes a last page that is cut for one filled with zeros.
bool is_cut(const std::string& path) {
  std::array<unsigned char, 100> header{};
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(header.data()), header.size())) {
    return true;
  }
  const auto number = [&header](std::size_t at, std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t index = at; index < at + bytes; ++index) {
      value = value << 8U | header[index];
    }
    return value;
  };
  const std::uint64_t page = number(16, 2) == 1 ? 65536 : number(16, 2);
  const bool count_is_valid = number(24, 4) == number(92, 4);
  std::error_code ignored;
  return count_is_valid && std::filesystem::file_size(path, ignored) < page * number(28, 4);
}

/// Without "immutable", SQLite makes files beside a database with a write-ahead log, and fails where it may
/// not. A log that holds something is read, as it belongs to the data.
std::string address_of(const std::string& path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::error_code ignored;
  std::string out = "file://";
  for (const char c : std::filesystem::absolute(path, ignored).string()) {
    const auto byte = static_cast<unsigned char>(c);
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '.') {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  const auto log = std::filesystem::file_size(path + "-wal", ignored);
  return ignored || log == 0 ? out + "?immutable=1" : out;
}

}  // namespace

void Database::Close::operator()(sqlite3* database) const {
  sqlite3_close(database);
}

bool DatabaseRow::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t DatabaseRow::integer(int column, std::int64_t otherwise) const {
  return is_null(column) ? otherwise : sqlite3_column_int64(statement_, column);
}

std::string_view DatabaseRow::text(int column) const {
  const auto* bytes = sqlite3_column_text(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return bytes == nullptr
             ? std::string_view()
             : std::string_view(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

core::Result<Database> Database::open(const std::string& path) {
  sqlite3* handle = nullptr;
  constexpr int kFlags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
  const int outcome = sqlite3_open_v2(address_of(path).c_str(), &handle, kFlags, nullptr);
  Database database;
  database.database_.reset(handle);
  if (outcome != SQLITE_OK) {
    return core::make_error(core::ExitCode::unreadable,
                            "timeline.unreadable",
                            {{"path", path}, {"reason", std::string(sqlite3_errstr(outcome))}});
  }
  database.ends_early_ = is_cut(path);
  if (database.ends_early_) {
    // Otherwise SQLite refuses all of a file that lacks pages.
    sqlite3_exec(handle, "PRAGMA writable_schema = ON", nullptr, nullptr, nullptr);
  }
  return database;
}

bool Database::is_sound() const {
  const Statement statement = prepare(database_.get(), "SELECT count(*) FROM sqlite_master");
  return !ends_early_ && statement != nullptr && sqlite3_step(statement.get()) == SQLITE_ROW;
}

std::vector<std::string> Database::columns_of(const std::string& table) const {
  std::vector<std::string> names;
  const Statement statement = prepare(database_.get(), "PRAGMA table_info(\"" + table + "\")");
  while (statement != nullptr && sqlite3_step(statement.get()) == SQLITE_ROW) {
    names.emplace_back(DatabaseRow(statement.get()).text(1));
  }
  return names;
}

bool Database::has_table(const std::string& table) const {
  return !columns_of(table).empty();
}

bool Database::read(const std::string& table,
                    const std::vector<std::string>& columns,
                    const std::function<void(const DatabaseRow&)>& row) const {
  const std::vector<std::string> present = columns_of(table);
  if (present.empty()) {
    return true;
  }
  std::string query = "SELECT ";
  for (const std::string& column : columns) {
    const bool there = std::find(present.begin(), present.end(), column) != present.end();
    query += (&column == columns.data() ? "" : ", ") + (there ? "\"" + column + "\"" : std::string("NULL"));
  }
  const Statement statement = prepare(database_.get(), query + " FROM \"" + table + "\"");
  if (statement == nullptr) {
    return false;
  }
  int outcome = SQLITE_DONE;
  while ((outcome = sqlite3_step(statement.get())) == SQLITE_ROW) {
    row(DatabaseRow(statement.get()));
  }
  return outcome == SQLITE_DONE;
}

}  // namespace jissoku::timeline::importers
