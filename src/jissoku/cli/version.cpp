#include "jissoku/cli/version.hpp"

namespace jissoku::cli {

std::string version() {
  return JISSOKU_VERSION;
}

}  // namespace jissoku::cli
