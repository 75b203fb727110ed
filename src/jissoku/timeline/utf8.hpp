// Bytes that should be UTF-8: traces hold names that are not.
#pragma once

#include <string>
#include <string_view>

namespace jissoku::timeline {

bool is_valid_utf8(std::string_view bytes);

/// `bytes` with U+FFFD for what is no valid UTF-8, for writing out.
std::string to_valid_utf8(std::string_view bytes);

}  // namespace jissoku::timeline
