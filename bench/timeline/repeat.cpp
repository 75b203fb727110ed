#include "bench/timeline/repeat.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <isa-l/igzip_lib.h>
#include <string_view>
#include <vector>

#include "jissoku/timeline/importers/source.hpp"

namespace jissoku::bench {
namespace {

std::string read_all(const std::string& path) {
  auto file = timeline::importers::open_file(path);
  std::string out;
  if (!file) {
    return out;
  }
  auto source = timeline::importers::unpack(std::move(*file));
  std::vector<char> buffer(std::size_t{1} << 20);
  for (std::size_t got = 1; got > 0;) {
    got = source->read(buffer.data(), buffer.size());
    out.append(buffer.data(), got);
  }
  return out;
}

/// Places of the digits of a number behind `key`, in order.
struct Number {
  std::size_t begin, end;
  bool is_time;
};

void find_numbers(std::string_view text, std::string_view key, bool is_time, std::vector<Number>& out) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + key.size())) {
    std::size_t begin = at + key.size();
    while (begin < text.size() && (text[begin] == ' ' || text[begin] == ':')) {
      ++begin;
    }
    std::size_t end = begin;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') {
      ++end;
    }
    if (end > begin && end - begin < 18) {
      out.push_back({begin, end, is_time});
    }
  }
}

std::int64_t value_of(std::string_view text, const Number& number) {
  std::int64_t value = 0;
  std::from_chars(text.data() + number.begin, text.data() + number.end, value);
  return value;
}

/// One gzip member after the other.
bool append_gzip(std::ofstream& file,
                 const std::string& text,
                 std::vector<std::uint8_t>& level,
                 std::string& packed) {
  isal_zstream stream;
  isal_deflate_stateless_init(&stream);
  packed.resize(text.size() + 4096);
  stream.gzip_flag = IGZIP_GZIP;
  stream.level = 3;
  level.resize(ISAL_DEF_LVL3_DEFAULT);
  stream.level_buf = level.data();
  stream.level_buf_size = static_cast<std::uint32_t>(level.size());
  stream.end_of_stream = 1;
  stream.flush = NO_FLUSH;
  stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<std::uint32_t>(text.size());
  stream.next_out = reinterpret_cast<std::uint8_t*>(packed.data());
  stream.avail_out = static_cast<std::uint32_t>(packed.size());
  if (isal_deflate_stateless(&stream) != COMP_OK) {
    return false;
  }
  file.write(packed.data(), static_cast<std::streamsize>(packed.size() - stream.avail_out));
  return file.good();
}

}  // namespace

bool repeated_gzip(const std::string& source, double raw_bytes, const std::string& target) {
  const std::string text = read_all(source);
  const std::size_t key = text.find("\"traceEvents\"");
  const std::size_t open = key == std::string::npos ? key : text.find('[', key);
  const std::size_t close = text.rfind(']');
  const std::size_t last = close == std::string::npos ? close : text.rfind('}', close);
  if (open == std::string::npos || last == std::string::npos || last < open) {
    return false;
  }
  const std::string_view events = std::string_view(text).substr(open + 1, last - open);
  std::vector<Number> numbers;
  find_numbers(events, "\"ts\"", true, numbers);
  std::int64_t least = INT64_MAX;
  std::int64_t most = 0;
  for (const Number& number : numbers) {
    least = std::min(least, value_of(events, number));
    most = std::max(most, value_of(events, number));
  }
  for (const std::string_view id : {"\"correlation\"", "\"External id\"", "\"external id\""}) {
    find_numbers(events, id, false, numbers);
  }
  std::sort(numbers.begin(), numbers.end(), [](const Number& left, const Number& right) {
    return left.begin < right.begin;
  });
  std::ofstream file(target, std::ios::binary);
  std::vector<std::uint8_t> level;
  std::string packed;
  std::string piece = text.substr(0, open + 1);
  double written = 0;
  constexpr std::int64_t kIds = 10'000'000;
  for (std::int64_t copy = 0; written < raw_bytes; ++copy) {
    piece += copy == 0 ? "" : ",";
    std::size_t from = 0;
    for (const Number& number : numbers) {
      piece += events.substr(from, number.begin - from);
      piece +=
          std::to_string(value_of(events, number) + copy * (number.is_time ? most - least + 1000 : kIds));
      from = number.end;
    }
    piece += events.substr(from);
    written += static_cast<double>(piece.size());
    if (!append_gzip(file, piece, level, packed)) {
      return false;
    }
    piece.clear();
  }
  return append_gzip(file, "\n]}\n", level, packed);
}

}  // namespace jissoku::bench
