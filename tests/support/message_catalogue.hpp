// The English catalogue as the program has it, with the texts of the sample documents.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "jissoku/core/catalogue.hpp"
#include "support/sample_documents.hpp"

namespace jissoku::tests {

/// From the sources: JISSOKU_SOURCE_DIR.
inline core::Catalogue sample_catalogue() {
  std::string text = "[" + sample_messages();
  for (const char* layer : {"report", "describe"}) {
    const std::string path =
        std::string(JISSOKU_SOURCE_DIR) + "/src/jissoku/cli/messages/en/" + layer + ".json";
    std::ifstream file(path);
    text += "," + std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  auto catalogue = core::Catalogue::parse(text + "]");
  return catalogue ? std::move(*catalogue) : core::Catalogue();
}

}  // namespace jissoku::tests
