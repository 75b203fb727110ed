// Result<T>: a value or an Error, for everything that can be expected to fail (bad input, missing
// library, out of memory, unwritable file). Exceptions are for broken invariants only and are
// caught in main. Debian 12's compilers have no std::expected in C++20.
#pragma once

#include <cassert>
#include <optional>
#include <utility>
#include <variant>

#include "jissoku/core/message.hpp"

namespace jissoku::core {

/// Exit codes of the program; the contract of the command line.
enum class ExitCode : int {
  ok = 0,
  check_failed = 1,  ///< a wrong result, a regression, --fail-on
  usage = 2,
  unavailable = 3,  ///< a device or library that was asked for
  unreadable = 4,   ///< input, also a damaged run document
  unwritable = 5,   ///< output
  abstained = 6,
  internal = 70,
  interrupted = 130,
};

/// Why something failed: what, which input, what to do (all in the message), and the exit code a
/// command ends with if nothing handles it.
struct Error {
  ExitCode exit_code = ExitCode::internal;
  Message message;
};

inline Error make_error(ExitCode exit_code, std::string id, std::vector<Argument> args = {}) {
  return Error{exit_code, message(std::move(id), std::move(args))};
}

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value)  // NOLINT(google-explicit-constructor)
      : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error)  // NOLINT(google-explicit-constructor)
      : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// Precondition: ok().
  T& value() & {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    assert(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// Precondition: !ok().
  const Error& error() const {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    assert(!ok());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace jissoku::core
