// The catalogue: text for every message id in one language. Parsed from a JSON object
// {"id": "text with {name} and {name:unit}"}; the English one is embedded at build time from
// src/jissoku/cli/messages/en/*.json, one file per layer. gettext would translate nothing in the C locale.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "jissoku/core/message.hpp"
#include "jissoku/core/result.hpp"

namespace jissoku::core {

class Catalogue {
 public:
  /// `text` is UTF-8 JSON: an object of strings, or an array of such objects with distinct ids (one
  /// per layer). Fails (unreadable) on anything else, on an id given twice, or on a
  /// placeholder with an unknown unit.
  static Result<Catalogue> parse(std::string_view text);

  /// The sentence for a message. Placeholders:
  ///   {name}            a string as it is, an integer with thousands separators, a double in at
  ///                     most 4 significant digits, messages joined by "; "
  ///   {name:plain}      an integer without separators
  ///   {name:time} {name:rate} {name:bytes} {name:gbps} {name:percent} {name:ratio}
  ///                     by core/units.hpp; the argument is in ns, FLOP/s, bytes, bytes/s, a share
  ///                     (0.79 prints "79 %"), a plain ratio (prints "1.52x")
  ///   {name:plural:one|many}  chosen by an integer argument
  /// A missing argument prints "{name}?", an unknown id the id and its arguments: never an error,
  /// since a document of a newer version must still render.
  std::string render(const Message& message) const;

  bool contains(std::string_view id) const;
  std::vector<std::string> ids() const;
  /// Names of the placeholders of an id's text, sorted, each once; for tests and lints.
  std::vector<std::string> placeholders(std::string_view id) const;

 private:
  std::map<std::string, std::string, std::less<>> texts_;
};

}  // namespace jissoku::core
