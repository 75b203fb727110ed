// Messages of the CUDA backend as people read them.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "jissoku/core/catalogue.hpp"

namespace jissoku::backends::cuda {

/// With the English catalogue of the sources. An argument that is missing shows as "{name}?".
inline std::string text_of(const core::Message& message) {
  static const core::Catalogue kCatalogue = [] {
    std::string all = "[{}";
    for (const char* layer : {"cuda", "device"}) {
      std::ifstream file(std::string(JISSOKU_SOURCE_DIR) + "/src/jissoku/cli/messages/en/" + layer + ".json");
      all += "," + std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    auto parsed = core::Catalogue::parse(all + "]");
    EXPECT_TRUE(parsed.ok());
    return parsed ? *parsed : core::Catalogue();
  }();
  EXPECT_TRUE(kCatalogue.contains(message.id)) << message.id;
  const std::string text = kCatalogue.render(message);
  EXPECT_EQ(text.find("}?"), std::string::npos) << text;
  return text;
}

}  // namespace jissoku::backends::cuda
