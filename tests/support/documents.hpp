// Run documents for tests: a plausible measured row, random documents that use every field, and equality
// field by field. All three are driven by document/fields.hpp, so that a new field is covered at once.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "jissoku/document/fields.hpp"
#include "jissoku/document/model.hpp"

namespace jissoku::tests {

/// A verified FP32 row of a 100 x 200 x 300 product with one round per time.
inline document::Row measured_row(const std::string& device, const std::vector<double>& times_ns) {
  document::Row row;
  row.experiment = "matmul";
  row.device = device;
  row.status = document::RowStatus::converged;
  row.parameters = {{"m", std::int64_t{100}},
                    {"n", std::int64_t{200}},
                    {"k", std::int64_t{300}},
                    {"input", std::string("f32")},
                    {"accumulator", std::string("f32")},
                    {"output", std::string("f32")},
                    {"transpose", std::string("nn")},
                    {"alpha", 1.0},
                    {"beta", 0.0},
                    {"data", std::string("normal")},
                    {"seed", std::int64_t{42}},
                    {"cache", std::string("hot")},
                    {"threads", std::int64_t{2}}};
  row.flops = 12e6;
  row.bytes = 440e3;
  row.verification.done = true;
  row.verification.passed = true;
  for (const double time_ns : times_ns) {
    document::Sample sample;
    sample.launches = 10;
    sample.host_ns = time_ns;
    sample.cpu_ns = 2 * time_ns;
    row.samples.push_back(sample);
  }
  row.id = document::row_id(row);
  return row;
}

/// Fills any struct of the document with random values, also the ones that are hard to write: control
/// characters, characters beyond the basic plane, the ends of integers, whole and non-finite doubles.
class RandomDocuments {
 public:
  explicit RandomDocuments(std::uint32_t seed) : engine_(seed) {}

  template <typename T>
  T make() {
    T value{};
    fill(value);
    return value;
  }

  int below(int limit) { return static_cast<int>(engine_() % static_cast<unsigned>(limit)); }

 private:
  template <typename T>
  void fill(T& value) {
    if constexpr (document::HasFields<T>) {
      document::visit_fields(value, [&](std::string_view, auto& member) {
        fill(member);
        return true;
      });
      fix_up(value);
    } else {
      fill_value(value);
    }
  }

  template <typename T>
  void fix_up(T&) {}
  void fix_up(document::Row& row) { row.timing = below(2) == 1 ? "host" : "device"; }
  void fix_up(document::Finding& finding) {
    constexpr const char* kSeverities[] = {"info", "advice", "warning", "failure"};
    finding.severity = kSeverities[below(4)];
  }
  void fix_up(document::Document& document) {
    document.schema_major = document::kSchemaMajor;
    document.schema_minor = document::kSchemaMinor;
  }

  void fill_value(bool& value) { value = below(2) == 1; }
  void fill_value(int& value) { value = static_cast<int>(integer() % std::numeric_limits<int>::max()); }
  void fill_value(std::int64_t& value) { value = integer(); }
  void fill_value(document::RowStatus& value) { value = static_cast<document::RowStatus>(below(8)); }

  std::int64_t integer() {
    constexpr std::int64_t kEdges[] = {0,
                                       -1,
                                       (std::int64_t{1} << 53) + 1,
                                       std::numeric_limits<std::int64_t>::max(),
                                       std::numeric_limits<std::int64_t>::min()};
    return below(2) == 1 ? kEdges[below(5)] : static_cast<std::int64_t>(engine_());
  }

  void fill_value(double& value) {
    constexpr double kEdges[] = {0.0,
                                 -0.0,
                                 2.0,
                                 1e22,
                                 0.1,
                                 5e-324,
                                 std::numeric_limits<double>::max(),
                                 std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN(),
                                 9007199254740993.0};
    value = below(2) == 1 ? kEdges[below(10)] : std::bit_cast<double>(engine_());
  }

  void fill_value(std::string& value) {
    constexpr const char* kPieces[] = {"a",
                                       "run.json",
                                       "\"",
                                       "\\",
                                       "/",
                                       "\n",
                                       "\x01",
                                       "\x7f",
                                       "{name}",
                                       "\xe5\xae\x9f\xe6\xb8\xac",
                                       " ",
                                       "\xc3\xa9",
                                       "\xf0\x9f\xa7\xae",
                                       "\xe2\x80\xa8",
                                       "\xef\xbf\xbd"};
    value.clear();
    for (int i = below(4); i > 0; --i) {
      value += kPieces[below(15)];
    }
    if (below(8) == 0) {
      value += '\0';
    }
  }

  template <typename T>
  void fill_value(std::optional<T>& value) {
    if (below(2) == 1) {
      fill(value.emplace());
    }
  }

  template <typename T>
  void fill_value(std::vector<T>& values) {
    values.resize(static_cast<std::size_t>(below(3)));
    for (T& value : values) {
      fill(value);
    }
  }

  void fill_value(std::vector<core::Argument>& arguments) {
    for (int i = below(4); i > 0; --i) {
      core::Argument argument;
      fill(argument.name);
      argument.name += std::to_string(i);  // names are distinct
      fill(argument.value);
      arguments.push_back(std::move(argument));
    }
  }

  void fill_value(core::Value& value) {
    switch (depth_ < 3 ? below(5) : below(4)) {
      case 0:
        return fill(value.emplace<bool>());
      case 1:
        return fill(value.emplace<std::int64_t>());
      case 2:
        return fill(value.emplace<double>());
      case 3:
        return fill(value.emplace<std::string>());
      default:
        return fill(value.emplace<std::vector<core::Message>>());
    }
  }

  void fill_value(core::Message& message) {
    ++depth_;
    fill(message.id);
    if (!message.empty()) {
      fill(message.args);
    }
    --depth_;
  }

  std::mt19937_64 engine_;
  int depth_ = 0;
};

/// Whether `read` is what must come back for `written`: equal, but for non-finite doubles, which come back as
/// NaN or, where they are optional, not at all.
template <typename T>
bool comes_back(const T& written, const T& read);

inline bool value_comes_back(double written, double read) {
  return std::isfinite(written) ? std::bit_cast<std::uint64_t>(written) == std::bit_cast<std::uint64_t>(read)
                                : std::isnan(read);
}

template <typename T>
bool value_comes_back(const std::optional<T>& written, const std::optional<T>& read) {
  if constexpr (std::is_same_v<T, double>) {
    if (written && !std::isfinite(*written)) {
      return !read;
    }
  }
  return written.has_value() == read.has_value() && (!written || comes_back(*written, *read));
}

template <typename T>
bool value_comes_back(const std::vector<T>& written, const std::vector<T>& read) {
  bool equal = written.size() == read.size();
  for (std::size_t i = 0; equal && i < written.size(); ++i) {
    equal = comes_back(written[i], read[i]);
  }
  return equal;
}

inline bool value_comes_back(const core::Value& written, const core::Value& read) {
  return written.index() == read.index() &&
         std::visit(
             [&](const auto& held) {
               return comes_back(held, std::get<std::remove_cvref_t<decltype(held)>>(read));
             },
             written);
}

inline bool value_comes_back(const core::Argument& written, const core::Argument& read) {
  return written.name == read.name && value_comes_back(written.value, read.value);
}

inline bool value_comes_back(const core::Message& written, const core::Message& read) {
  return written.id == read.id && value_comes_back(written.args, read.args);
}

template <typename T>
bool comes_back(const T& written, const T& read) {
  if constexpr (document::HasFields<T>) {
    return std::apply(
        [&](const auto&... fields) {
          return (comes_back(written.*(fields.member), read.*(fields.member)) && ...);
        },
        document::Fields<T>::kList);
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string>) {
    return written == read;
  } else {
    return value_comes_back(written, read);
  }
}

}  // namespace jissoku::tests
