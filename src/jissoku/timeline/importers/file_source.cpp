#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "jissoku/timeline/importers/source.hpp"

namespace jissoku::timeline::importers {
namespace {

class FileSource : public Source {
 public:
  explicit FileSource(int descriptor) : descriptor_(descriptor) {}
  ~FileSource() override { ::close(descriptor_); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::size_t read(char* to, std::size_t capacity) override {
    for (;;) {
      const ssize_t got = ::read(descriptor_, to, capacity);
      if (got >= 0) {
        return static_cast<std::size_t>(got);
      }
      if (errno != EINTR) {
        failed_ = true;  // a disk that fails in the middle: what was read is kept
        return 0;
      }
    }
  }
  bool truncated() const override { return failed_; }

 private:
  int descriptor_;
  bool failed_ = false;
};

core::Error unreadable(const std::string& path, int error) {
  return core::make_error(core::ExitCode::unreadable,
                          "timeline.unreadable",
                          {{"path", path}, {"reason", std::generic_category().message(error)}});
}

}  // namespace

core::Result<std::unique_ptr<Source>> open_file(const std::string& path) {
  struct stat facts = {};
  if (::stat(path.c_str(), &facts) != 0) {
    return unreadable(path, errno);
  }
  if (!S_ISREG(facts.st_mode)) {
    return core::make_error(core::ExitCode::unreadable, "timeline.not_a_file", {{"path", path}});
  }
  if (facts.st_size == 0) {
    return core::make_error(core::ExitCode::unreadable, "timeline.empty_file", {{"path", path}});
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return unreadable(path, errno);
  }
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  return std::unique_ptr<Source>(std::make_unique<FileSource>(descriptor));
}

std::string_view PeekSource::peek(std::size_t size) {
  while (ahead_.size() - taken_ < size) {
    const std::size_t before = ahead_.size();
    ahead_.resize(taken_ + size);
    const std::size_t got = inner_->read(ahead_.data() + before, ahead_.size() - before);
    ahead_.resize(before + got);
    if (got == 0) {
      break;
    }
  }
  return std::string_view(ahead_).substr(taken_, size);
}

std::size_t PeekSource::read(char* to, std::size_t capacity) {
  if (taken_ == ahead_.size()) {
    return inner_->read(to, capacity);
  }
  const std::size_t count = std::min(capacity, ahead_.size() - taken_);
  std::memcpy(to, ahead_.data() + taken_, count);
  taken_ += count;
  if (taken_ == ahead_.size()) {
    ahead_.clear();
    taken_ = 0;
  }
  return count;
}

}  // namespace jissoku::timeline::importers
