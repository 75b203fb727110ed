// PyTorch in a child process that holds its own copies of the operands and is told over a pipe how often
// to multiply; see bench/rivals/torch_worker.py. Its times are of its own clock, so the pipe costs nothing.
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "bench/gemm/rival.hpp"

namespace jissoku::bench {
namespace {

const char* const kPython = "/usr/bin/python3";  // the one that Debian's packages are for

/// Memory that the child opens by a path of this process.
class SharedFile {
 public:
  explicit SharedFile(std::size_t size_bytes)
      : descriptor_(memfd_create("jissoku-operand", MFD_CLOEXEC)), size_bytes_(size_bytes) {
    if (descriptor_ >= 0 && ftruncate(descriptor_, static_cast<off_t>(size_bytes)) == 0) {
      void* data = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
      data_ = data == MAP_FAILED ? nullptr : data;
    }
  }
  ~SharedFile() {
    if (data_ != nullptr) {
      munmap(data_, size_bytes_);
    }
    if (descriptor_ >= 0) {
      close(descriptor_);
    }
  }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  void* data() const { return data_; }
  std::size_t size_bytes() const { return size_bytes_; }
  std::string path() const { return fmt::format("/proc/{}/fd/{}", getpid(), descriptor_); }

 private:
  int descriptor_;
  std::size_t size_bytes_;
  void* data_ = nullptr;
};

/// A child with pipes to its standard input and from its standard output; ended with this object.
class Child {
 public:
  bool start(std::vector<std::string> arguments, int threads);
  ~Child();
  Child() = default;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// The line that answers `line`; "" when the child is gone.
  std::string ask(const std::string& line);
  std::string read_line();

 private:
  pid_t process_ = -1;
  int to_child_ = -1, from_child_ = -1;
  std::string received_;
};

bool Child::start(std::vector<std::string> arguments, int threads) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0) {
    return false;
  }
  if (pipe2(out, O_CLOEXEC) != 0) {
    close(in[0]);
    close(in[1]);
    return false;
  }
  std::vector<std::string> settings;  // PyTorch reads its thread count while it loads
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, "OMP_NUM_THREADS=", 16) != 0) {
      settings.emplace_back(*variable);
    }
  }
  settings.push_back(fmt::format("OMP_NUM_THREADS={}", threads));
  std::vector<char*> argv, envp;
  for (std::string& argument : arguments) {
    argv.push_back(argument.data());
  }
  for (std::string& setting : settings) {
    envp.push_back(setting.data());
  }
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const int failed = posix_spawn(&process_, argv[0], &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  to_child_ = in[1];
  from_child_ = out[0];
  if (failed != 0) {
    process_ = -1;
  }
  return failed == 0;
}

Child::~Child() {
  for (const int end : {to_child_, from_child_}) {
    if (end >= 0) {
      close(end);  // the end of its input ends the child
    }
  }
  if (process_ > 0) {
    waitpid(process_, nullptr, 0);
  }
}

std::string Child::read_line() {
  for (;;) {
    if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    char buffer[512];
    const ssize_t count = read(from_child_, buffer, sizeof buffer);
    if (count > 0) {
      received_.append(buffer, static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return "";
    }
  }
}

std::string Child::ask(const std::string& line) {
  const std::string text = line + "\n";
  if (write(to_child_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return "";
  }
  return read_line();
}

class TorchSubject final : public RivalSubject {
 public:
  TorchSubject(Child& child, const HostProduct& product)
      : child_(child),
        product_(product),
        a_(bytes(product.m, product.k)),
        b_(bytes(product.k, product.n)),
        c_(bytes(product.m, product.n)) {}

  core::Status prepare(int threads) {
    if (a_.data() == nullptr || b_.data() == nullptr || c_.data() == nullptr) {
      return rival_error("no memory to share with PyTorch");
    }
    std::memcpy(a_.data(), product_.a, a_.size_bytes());
    std::memcpy(b_.data(), product_.b, b_.size_bytes());
    return expect(fmt::format("prepare {} {} {} {} {} {} {} {}",
                              product_.is_f64 ? "f64" : "f32",
                              product_.m,
                              product_.n,
                              product_.k,
                              threads,
                              a_.path(),
                              b_.path(),
                              c_.path()),
                  "ready");
  }

  core::Result<measure::BatchTiming> run(std::int64_t launches) override {
    const std::string answer = child_.ask(fmt::format("run {}", launches));
    measure::BatchTiming timing;
    const auto [end, error] = std::from_chars(answer.data(), answer.data() + answer.size(), timing.host_ns);
    if (error != std::errc() || end != answer.data() + answer.size() || answer.empty()) {
      return refusal(answer);
    }
    return timing;
  }

  core::Status fetch_result() override {
    if (auto fetched = expect("fetch", "done"); !fetched) {
      return fetched;
    }
    std::memcpy(product_.c, c_.data(), c_.size_bytes());
    return {};
  }

 private:
  std::size_t bytes(std::int64_t rows, std::int64_t columns) const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) *
           (product_.is_f64 ? sizeof(double) : sizeof(float));
  }
  static core::Error refusal(const std::string& answer) {
    return rival_error(answer.empty() ? "PyTorch's process has ended" : "PyTorch: " + answer);
  }
  core::Status expect(const std::string& request, const std::string& wanted) {
    const std::string answer = child_.ask(request);
    return answer == wanted ? core::Status() : core::Status(refusal(answer));
  }

  Child& child_;
  HostProduct product_;
  SharedFile a_, b_, c_;
};

class TorchRival final : public Rival {
 public:
  explicit TorchRival(int threads) : threads_(threads) {}
  bool start() {
    if (!child_.start({kPython, JISSOKU_TORCH_WORKER}, threads_)) {
      return false;
    }
    const std::string greeting = child_.read_line();
    constexpr std::size_t kWord = 6;  // "torch "
    if (greeting.compare(0, kWord, "torch ") != 0) {
      return false;
    }
    library_ = "PyTorch " + greeting.substr(kWord);
    return true;
  }
  std::string name() const override { return "torch"; }
  std::string library() const override { return library_; }
  core::Result<std::unique_ptr<RivalSubject>> prepare(const HostProduct& product) override {
    auto subject = std::make_unique<TorchSubject>(child_, product);
    if (auto ready = subject->prepare(threads_); !ready) {
      return ready.error();
    }
    return std::unique_ptr<RivalSubject>(std::move(subject));
  }

 private:
  int threads_;
  Child child_;
  std::string library_;
};

}  // namespace

std::unique_ptr<Rival> start_torch_rival(int threads, std::string& fault) {
  signal(SIGPIPE, SIG_IGN);  // a child that died is an error of its row
  auto rival = std::make_unique<TorchRival>(threads);
  if (!rival->start()) {
    fault =
        fmt::format("torch: {} cannot import it; its package is python3-torch: ./dev setup rivals", kPython);
    return nullptr;
  }
  return rival;
}

}  // namespace jissoku::bench
