// Bytes of a trace, whatever they are packed in: plain, gzip (also several members), zstd, and tar
// archives in any of them. What a file is packed in is found from its first bytes, not from its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "jissoku/core/result.hpp"

namespace jissoku::timeline::importers {

/// What a decompressor gives where data is missing: nothing that parses, so that no event is made of the two
/// ends of a gap.
inline constexpr std::string_view kGapMark = "\x01\x02<gap>\x02\x01";

/// A stream of bytes. Damage does not stop it where anything sound follows.
class Source {
 public:
  virtual ~Source() = default;
  /// Up to `capacity` (at least 1) bytes; 0 only at the end.
  virtual std::size_t read(char* to, std::size_t capacity) = 0;
  /// Whether compressed data was damaged so far.
  virtual bool damaged() const { return false; }
  /// Whether the data ended before its format said so.
  virtual bool truncated() const { return false; }
};

/// A regular file. Errors (unreadable): missing, a folder, no permission, no regular file (a FIFO
/// would block for ever), empty.
core::Result<std::unique_ptr<Source>> open_file(const std::string& path);

/// `packed` unpacked if it starts like gzip or zstd; else as it is.
std::unique_ptr<Source> unpack(std::unique_ptr<Source> packed);

/// Reads `inner` in another thread, so that unpacking and parsing overlap.
std::unique_ptr<Source> read_ahead(std::unique_ptr<Source> inner);

/// A source whose first bytes can be looked at without being taken.
class PeekSource : public Source {
 public:
  explicit PeekSource(std::unique_ptr<Source> inner) : inner_(std::move(inner)) {}
  /// The next bytes, at most `size`; fewer only at the end.
  std::string_view peek(std::size_t size);
  /// Drops `size` bytes that a peek has shown.
  void take(std::size_t size) { taken_ += size; }
  std::size_t read(char* to, std::size_t capacity) override;
  bool damaged() const override { return inner_->damaged(); }
  bool truncated() const override { return inner_->truncated(); }

 private:
  std::unique_ptr<Source> inner_;
  std::string ahead_;
  std::size_t taken_ = 0;
};

/// A member of a tar archive: ends where the member does.
class TarReader {
 public:
  explicit TarReader(PeekSource& archive) : archive_(archive) {}
  static bool is_tar(std::string_view first_bytes);
  /// The next regular file's name, or empty at the end of the archive. What of the one before was not
  /// read is skipped.
  std::string next();
  /// Bytes of the current member.
  std::size_t read(char* to, std::size_t capacity);
  /// Whether the archive ended within a member, or without the mark of its end.
  bool cut_short() const { return cut_short_; }

 private:
  PeekSource& archive_;
  std::uint64_t left_ = 0, padding_ = 0;
  bool cut_short_ = false;
};

}  // namespace jissoku::timeline::importers
