#include "jissoku/document/files.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace jissoku::document {
namespace {

using core::Descriptor;

std::string reason(int error_number) {
  return std::generic_category().message(error_number);
}

core::Error unreadable(const std::string& path, int error_number) {
  return core::make_error(
      core::ExitCode::unreadable, "document.unreadable", {{"path", path}, {"reason", reason(error_number)}});
}

/// 0, or the error number. What cannot be flushed (a pipe, some network file systems) needs none.
int flush(int descriptor) {
  return ::fdatasync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

/// Makes a rename in the folder of `path` last. Best effort: the rename itself is done.
void flush_folder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const Descriptor opened(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.is_open()) {
    flush(opened.get());
  }
}

/// Whether the descriptor's file is still the one at `path`: its last owner may have removed it.
bool is_at(const Descriptor& file, const std::string& path) {
  struct stat held {};
  struct stat there {};
  return ::fstat(file.get(), &held) == 0 && ::stat(path.c_str(), &there) == 0 &&
         held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

/// False only if someone else has the lock: file systems without locks must still be written.
bool lock(const Descriptor& file) {
  return ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

}  // namespace

core::Error unwritable(const std::string& path, int error_number) {
  return core::make_error(
      core::ExitCode::unwritable, "document.unwritable", {{"path", path}, {"reason", reason(error_number)}});
}

core::Status prepare_target(const std::string& path) {
  std::error_code failure;
  if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty()) {
    std::filesystem::create_directories(folder, failure);
    if (failure) {
      return unwritable(path, failure.value());
    }
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return errno == ENOENT ? core::Status() : core::Status(unwritable(path, errno));
  }
  if (S_ISDIR(status.st_mode)) {
    return unwritable(path, EISDIR);
  }
  if (!S_ISREG(status.st_mode)) {
    return core::make_error(core::ExitCode::unwritable, "document.not_a_file", {{"path", path}});
  }
  return ::access(path.c_str(), W_OK) == 0 ? core::Status() : core::Status(unwritable(path, errno));
}

core::Result<core::Descriptor> open_locked(const std::string& path) {
  constexpr int kAttempts = 100;  // each failed one means that another run has just ended
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (!file.is_open()) {
      return unwritable(path, errno);
    }
    if (!lock(file)) {
      break;
    }
    if (is_at(file, path)) {
      return file;
    }
  }
  return core::make_error(core::ExitCode::unwritable, "document.locked", {{"path", path}});
}

core::Status append(const Descriptor& file, std::string_view text, const std::string& path) {
  const off_t before = ::lseek(file.get(), 0, SEEK_END);
  int failure = core::write_all(file.get(), text);
  if (failure == 0) {
    failure = flush(file.get());
  }
  if (failure == 0) {
    return {};
  }
  if (before >= 0 && ::ftruncate(file.get(), before) != 0) {
    return unwritable(path, failure);  // the torn line stays; the reader drops it
  }
  return unwritable(path, failure);
}

core::Result<core::Descriptor> replace_file(const std::string& path, std::string_view text) {
  const std::string target = core::behind_links(path);
  const std::string temporary = target + ".tmp";
  ::unlink(temporary.c_str());
  Descriptor file(::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666));
  if (!file.is_open()) {
    return unwritable(path, errno);
  }
  lock(file);
  int failure = core::write_all(file.get(), text);
  if (failure == 0) {
    failure = flush(file.get());
  }
  if (failure == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) {
    failure = errno;
  }
  if (failure != 0) {
    ::unlink(temporary.c_str());
    return unwritable(path, failure);
  }
  flush_folder(target);
  return file;
}

bool has_content(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
}

core::Result<std::string> read_text(const std::string& path) {
  constexpr std::size_t kLargest = std::size_t{1} << 30;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) {
    return unreadable(path, errno);
  }
  std::string text;
  std::string buffer(1 << 16, '\0');
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count == 0) {
      return text;
    }
    if (count < 0 && errno != EINTR) {
      return unreadable(path, errno);
    }
    text.append(buffer, 0, count < 0 ? 0 : static_cast<std::size_t>(count));
    if (text.size() > kLargest) {
      return unreadable(path, EFBIG);
    }
  }
}

}  // namespace jissoku::document
