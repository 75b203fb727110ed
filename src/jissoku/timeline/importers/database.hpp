// Reading tables of a SQLite file whose columns differ from version to version.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "jissoku/core/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace jissoku::timeline::importers {

/// The current row of a query; columns in the order they were asked for.
class DatabaseRow {
 public:
  explicit DatabaseRow(sqlite3_stmt* statement) : statement_(statement) {}
  bool is_null(int column) const;
  std::int64_t integer(int column, std::int64_t otherwise = -1) const;
  std::string_view text(int column) const;  ///< valid until the next row

 private:
  sqlite3_stmt* statement_;
};

class Database {
 public:
  /// Read-only. Errors (unreadable) with the library's words.
  static core::Result<Database> open(const std::string& path);

  bool has_table(const std::string& table) const;
  /// Whether the file is shorter than its header says. What is left is read.
  bool ends_early() const { return ends_early_; }
  /// Whether all of the file is there and its list of tables can be read.
  bool is_sound() const;
  /// Calls `row` for each row; columns that the table lacks are null, and so is a table that is missing: no
  /// rows. False if the file is damaged; the rows before it were given.
  bool read(const std::string& table,
            const std::vector<std::string>& columns,
            const std::function<void(const DatabaseRow&)>& row) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::vector<std::string> columns_of(const std::string& table) const;
  std::unique_ptr<sqlite3, Close> database_;
  bool ends_early_ = false;
};

}  // namespace jissoku::timeline::importers
