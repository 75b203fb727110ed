// Writing to the outside: standard output that survives a reader who leaves, one-line messages on
// standard error, and files that are checked before the measuring and replaced whole after it.
#pragma once

#include <string>
#include <string_view>

#include "jissoku/core/catalogue.hpp"
#include "jissoku/core/result.hpp"

namespace jissoku::cli {

/// To be called first: gives closed standard streams a descriptor, so that no file we open becomes
/// one of them, and turns SIGPIPE and SIGXFSZ into errors of write().
void prepare_standard_streams();

class Output {
 public:
  explicit Output(int descriptor) : descriptor_(descriptor) {}

  /// Writes all of it. A reader who closed the pipe is no error: the rest is dropped. A full disk or
  /// a closed stream is `unwritable`.
  core::Status write(std::string_view text);
  /// Whether writing can work at all, before hours are spent; `unwritable` if not.
  core::Status check() const;

 private:
  int descriptor_;
  bool reader_gone_ = false;
};

/// Standard error. What cannot be written there is lost: there is nowhere left to say so.
class Messages {
 public:
  Messages(int descriptor, const core::Catalogue& catalogue)
      : descriptor_(descriptor), catalogue_(catalogue) {}

  /// "jissoku: <text>" on a line of its own; control characters from the input are escaped.
  void line(const core::Message& message) const;
  /// The line of `message`, for a signal handler that cannot render.
  std::string text(const core::Message& message) const;

 private:
  int descriptor_;
  const core::Catalogue& catalogue_;
};

/// Whether `path` can be written: what is there stays as it is. `unwritable` with the reason.
core::Status check_writable(const std::string& path);
/// Replaces a regular file atomically; writes into anything else (a device, a pipe).
core::Status write_file(const std::string& path, std::string_view text);

/// Control characters and line breaks as visible escapes.
std::string one_line(std::string_view text);

}  // namespace jissoku::cli
