// gzip members for tests.
#pragma once

#include <isa-l/igzip_lib.h>
#include <string>

namespace jissoku::tests {

inline std::string gzipped(const std::string& text) {
  std::string out(text.size() + text.size() / 8 + 4096, '\0');
  isal_zstream stream;
  isal_deflate_stateless_init(&stream);
  stream.gzip_flag = IGZIP_GZIP;
  stream.end_of_stream = 1;
  stream.flush = NO_FLUSH;
  stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<std::uint32_t>(text.size());
  stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  stream.avail_out = static_cast<std::uint32_t>(out.size());
  if (isal_deflate_stateless(&stream) != COMP_OK) {
    return {};
  }
  out.resize(out.size() - stream.avail_out);
  return out;
}

}  // namespace jissoku::tests
