#include "jissoku/cli/streams.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "jissoku/core/descriptor.hpp"

namespace jissoku::cli {
namespace {

using core::Descriptor;
using core::ExitCode;
using core::make_error;
using core::Status;
using core::write_all;

core::Error unwritable(const std::string& path, int error_number) {
  return make_error(ExitCode::unwritable,
                    "cli.unwritable",
                    {{"path", path}, {"reason", std::generic_category().message(error_number)}});
}

core::Error unwritable_stdout(int error_number) {
  if (error_number == EBADF) {
    return make_error(ExitCode::unwritable, "cli.stdout_closed");
  }
  return make_error(ExitCode::unwritable,
                    "cli.unwritable_stdout",
                    {{"reason", std::generic_category().message(error_number)}});
}

/// `path` is what people called it, `file_path` may be a temporary file in its place.
Status write_through(const std::string& path, const std::string& file_path, std::string_view text) {
  Descriptor file(::open(file_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.get() < 0) {
    return unwritable(path, errno);
  }
  if (const int failure = write_all(file.get(), text); failure != 0 && failure != EPIPE) {
    return unwritable(path, failure);
  }
  if (const int failure = file.close(); failure != 0) {
    return unwritable(path, failure);
  }
  return {};
}

}  // namespace

void prepare_standard_streams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) {
      // Output is opened for reading only: writing to it fails as it would on the closed one.
      const int opened = ::open("/dev/null", descriptor == 2 ? O_WRONLY : O_RDONLY);
      static_cast<void>(opened);  // the lowest free number, which is `descriptor`
    }
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file larger than `ulimit -f`: an error of write(), not a kill
}

Status Output::write(std::string_view text) {
  if (reader_gone_) {
    return {};
  }
  const int failure = write_all(descriptor_, text);
  if (failure == EPIPE) {
    reader_gone_ = true;
    return {};
  }
  return failure == 0 ? Status() : Status(unwritable_stdout(failure));
}

Status Output::check() const {
  const int mode = ::fcntl(descriptor_, F_GETFL);
  const bool writes = mode != -1 && (mode & O_ACCMODE) != O_RDONLY;
  return writes ? Status() : Status(unwritable_stdout(EBADF));
}

void Messages::line(const core::Message& message) const {
  write_all(descriptor_, text(message));
}

std::string Messages::text(const core::Message& message) const {
  return "jissoku: " + one_line(catalogue_.render(message)) + "\n";
}

Status check_writable(const std::string& path) {
  struct stat status {};
  const bool existed = ::stat(path.c_str(), &status) == 0;
  if (existed && S_ISDIR(status.st_mode)) {
    return unwritable(path, EISDIR);
  }
  if (existed && !S_ISREG(status.st_mode)) {
    return ::access(path.c_str(), W_OK) == 0 ? Status() : Status(unwritable(path, errno));
  }
  // Opening is the only test that sees every reason (permissions, read-only file systems, quotas).
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (file.get() < 0) {
    return unwritable(path, errno);
  }
  if (!existed) {
    ::unlink(path.c_str());
  }
  return {};
}

Status write_file(const std::string& path, std::string_view text) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return write_through(path, path, text);
  }
  const std::string target = core::behind_links(path);
  const std::string temporary = target + ".part" + std::to_string(::getpid());
  if (auto written = write_through(path, temporary, text); !written) {
    ::unlink(temporary.c_str());
    return written.error();
  }
  if (::rename(temporary.c_str(), target.c_str()) != 0) {
    const int failure = errno;
    ::unlink(temporary.c_str());
    return unwritable(path, failure);
  }
  return {};
}

std::string one_line(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace jissoku::cli
