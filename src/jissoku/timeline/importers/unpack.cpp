// gzip by ISA-L (it streams), zstd by its own library.
#include <algorithm>
#include <cstring>
#include <isa-l/igzip_lib.h>
#include <vector>
#include <zstd.h>

#include "jissoku/timeline/importers/source.hpp"

namespace jissoku::timeline::importers {
namespace {

constexpr std::size_t kInputBytes = std::size_t{1} << 18;
constexpr std::string_view kGzipMagic = "\x1f\x8b\x08";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

/// Input of a decompressor: a buffer that is filled anew when it is used up.
class Input {
 public:
  explicit Input(std::unique_ptr<Source> source) : source_(std::move(source)), buffer_(kInputBytes) {}

  std::string_view bytes() const { return {buffer_.data() + used_, filled_ - used_}; }
  void take(std::size_t count) { used_ += count; }
  /// To where a decompressor stopped, which may be some bytes before where it began.
  void move_to(const void* position) {
    const std::ptrdiff_t at = static_cast<const char*>(position) - buffer_.data();
    used_ = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(at, 0, static_cast<std::ptrdiff_t>(filled_)));
  }
  /// More bytes behind those that are left; false at the end.
  bool fill() {
    constexpr std::size_t kHistory = 16;  // ISA-L takes up to 8 bytes more than it needs and gives them back
    if (used_ > kHistory) {
      const std::size_t dropped = used_ - kHistory;
      std::memmove(buffer_.data(), buffer_.data() + dropped, filled_ - dropped);
      filled_ -= dropped;
      used_ = kHistory;
    }
    const std::size_t got = source_->read(buffer_.data() + filled_, buffer_.size() - filled_);
    filled_ += got;
    return got > 0;
  }
  /// Up to the next place that starts with `magic`; false if there is none.
  bool seek(std::string_view magic) {
    for (;;) {
      const std::size_t found = bytes().find(magic);
      if (found != std::string_view::npos) {
        take(found);
        return true;
      }
      const std::size_t kept = std::min(bytes().size(), magic.size() - 1);
      take(bytes().size() - kept);
      if (!fill()) {
        return false;
      }
    }
  }
  bool truncated() const { return source_->truncated(); }

 private:
  std::unique_ptr<Source> source_;
  std::vector<char> buffer_;
  std::size_t used_ = 0, filled_ = 0;
};

std::size_t give_gap(std::string_view& gap, char* to, std::size_t capacity) {
  const std::size_t count = gap.copy(to, capacity);
  gap.remove_prefix(count);
  return count;
}

class GzipSource : public Source {
 public:
  explicit GzipSource(std::unique_ptr<Source> packed) : input_(std::move(packed)) { begin_member(); }

  std::size_t read(char* to, std::size_t capacity) override {
    for (;;) {
      if (!gap_.empty()) {
        return give_gap(gap_, to, capacity);
      }
      if (done_) {
        return 0;
      }
      if (input_.bytes().empty() && !input_.fill()) {
        return finish(to, capacity);
      }
      const std::size_t got = inflate(to, capacity);
      if (got > 0) {
        return got;
      }
    }
  }
  bool damaged() const override { return damaged_; }
  bool truncated() const override { return truncated_ || input_.truncated(); }

 private:
  void begin_member() {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
    in_member_ = false;
  }

  /// One call of the library; what it gave. Damage and ends of members move on to the next member.
  std::size_t inflate(char* to, std::size_t capacity) {
    const std::string_view bytes = input_.bytes();
    const auto limit = std::min<std::size_t>(capacity, 1U << 30U);
    state_.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(bytes.data()));
    state_.avail_in = static_cast<std::uint32_t>(bytes.size());
    state_.next_out = reinterpret_cast<std::uint8_t*>(to);
    state_.avail_out = static_cast<std::uint32_t>(limit);
    const int outcome = isal_inflate(&state_);
    in_member_ = true;
    input_.move_to(state_.next_in);
    const bool stuck = state_.next_in == reinterpret_cast<const std::uint8_t*>(bytes.data());
    const std::size_t got = limit - state_.avail_out;
    if (outcome != ISAL_DECOMP_OK && outcome != ISAL_END_INPUT) {
      damaged_ = true;
      gap_ = kGapMark;
      input_.take(stuck ? 1 : 0);  // or the same bytes would be found, and fail, for ever
      next_member();
    } else if (state_.block_state == ISAL_BLOCK_FINISH) {
      next_member();
    }
    return got;
  }

  void next_member() {
    begin_member();
    done_ = !input_.seek(kGzipMagic);
  }

  /// The input is at its end; output may still be held back.
  std::size_t finish(char* to, std::size_t capacity) {
    done_ = true;
    if (!in_member_) {
      return 0;
    }
    truncated_ = true;
    state_.avail_in = 0;
    state_.next_out = reinterpret_cast<std::uint8_t*>(to);
    state_.avail_out = static_cast<std::uint32_t>(std::min<std::size_t>(capacity, 1U << 30U));
    const std::uint32_t before = state_.avail_out;
    static_cast<void>(isal_inflate(&state_));
    return before - state_.avail_out;
  }

  Input input_;
  std::string_view gap_;  ///< what of the mark is still to be given
  inflate_state state_ = {};
  bool in_member_ = false, done_ = false, damaged_ = false, truncated_ = false;
};

class ZstdSource : public Source {
 public:
  explicit ZstdSource(std::unique_ptr<Source> packed)
      : input_(std::move(packed)), stream_(ZSTD_createDStream()) {}
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;

  std::size_t read(char* to, std::size_t capacity) override {
    if (!gap_.empty()) {
      return give_gap(gap_, to, capacity);
    }
    ZSTD_outBuffer out = {to, capacity, 0};
    while (stream_ != nullptr && !done_ && out.pos == 0) {
      if (input_.bytes().empty() && !input_.fill()) {
        // Without input it can still give what it holds back.
        ZSTD_inBuffer none = {nullptr, 0, 0};
        const std::size_t left = ZSTD_decompressStream(stream_, &out, &none);
        truncated_ = in_frame_ && !ZSTD_isError(left);
        done_ = out.pos < capacity;
        break;
      }
      const std::string_view bytes = input_.bytes();
      ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
      const std::size_t left = ZSTD_decompressStream(stream_, &out, &in);
      input_.take(in.pos);
      in_frame_ = left != 0;
      if (ZSTD_isError(left) != 0U) {
        damaged_ = true;
        in_frame_ = false;
        gap_ = kGapMark;
        input_.take(in.pos == 0 ? 1 : 0);  // or the same bytes would be found, and fail, for ever
        ZSTD_initDStream(stream_);
        done_ = !input_.seek(kZstdMagic);
        break;
      }
    }
    return out.pos > 0 ? out.pos : give_gap(gap_, to, capacity);
  }
  bool damaged() const override { return damaged_; }
  bool truncated() const override { return truncated_ || input_.truncated(); }

 private:
  Input input_;
  std::string_view gap_;
  ZSTD_DStream* stream_;
  bool in_frame_ = false, done_ = false, damaged_ = false, truncated_ = false;
};

}  // namespace

std::unique_ptr<Source> unpack(std::unique_ptr<Source> packed) {
  auto peeked = std::make_unique<PeekSource>(std::move(packed));
  const std::string_view first = peeked->peek(kZstdMagic.size());
  if (first.starts_with(kGzipMagic)) {
    return std::make_unique<GzipSource>(std::move(peeked));
  }
  if (first.starts_with(kZstdMagic)) {
    return std::make_unique<ZstdSource>(std::move(peeked));
  }
  return peeked;
}

}  // namespace jissoku::timeline::importers
