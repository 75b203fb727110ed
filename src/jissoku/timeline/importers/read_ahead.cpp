#include <array>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "jissoku/timeline/importers/source.hpp"

namespace jissoku::timeline::importers {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr std::size_t kBlocks = 4;

/// A ring of blocks between one thread that fills and one that reads. The thread starts with the second
/// block only: small traces are read without it.
class ReadAhead : public Source {
 public:
  explicit ReadAhead(std::unique_ptr<Source> inner) : inner_(std::move(inner)) {}

  ~ReadAhead() override {
    {
      const std::lock_guard lock(mutex_);
      abandoned_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  std::size_t read(char* to, std::size_t capacity) override {
    if (!thread_.joinable()) {
      if (read_alone_ < kBlockBytes) {
        const std::size_t got = inner_->read(to, capacity);
        read_alone_ += got;
        damaged_ = inner_->damaged();
        truncated_ = inner_->truncated();
        return got;
      }
      thread_ = std::thread([this] { fill(); });
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return filled_ > taken_ || ended_; });
    if (filled_ == taken_) {
      return 0;
    }
    Block& block = blocks_[taken_ % kBlocks];
    lock.unlock();
    const std::size_t count = std::min(capacity, block.size - position_);
    std::memcpy(to, block.bytes.data() + position_, count);
    position_ += count;
    if (position_ == block.size) {
      position_ = 0;
      lock.lock();
      ++taken_;
      lock.unlock();
      changed_.notify_all();
    }
    return count;
  }
  bool damaged() const override {
    const std::lock_guard lock(mutex_);
    return damaged_;
  }
  bool truncated() const override {
    const std::lock_guard lock(mutex_);
    return truncated_;
  }

 private:
  struct Block {
    std::vector<char> bytes;
    std::size_t size = 0;
  };

  void fill() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return filled_ - taken_ < kBlocks || abandoned_; });
      if (abandoned_) {
        return;
      }
      Block& block = blocks_[filled_ % kBlocks];
      lock.unlock();
      block.bytes.resize(kBlockBytes);
      block.size = 0;
      std::size_t got = 1;
      while (got > 0 && block.size < kBlockBytes) {
        got = inner_->read(block.bytes.data() + block.size, kBlockBytes - block.size);
        block.size += got;
      }
      lock.lock();
      damaged_ = inner_->damaged();
      truncated_ = inner_->truncated();
      filled_ += block.size > 0 ? 1 : 0;
      ended_ = got == 0;
      changed_.notify_all();
      if (ended_) {
        return;
      }
    }
  }

  std::unique_ptr<Source> inner_;
  std::array<Block, kBlocks> blocks_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t filled_ = 0, taken_ = 0;  ///< blocks, counted from the start
  std::size_t position_ = 0;            ///< in the block that is read
  std::size_t read_alone_ = 0;
  bool ended_ = false, abandoned_ = false, damaged_ = false, truncated_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Source> read_ahead(std::unique_ptr<Source> inner) {
  return std::make_unique<ReadAhead>(std::move(inner));
}

}  // namespace jissoku::timeline::importers
