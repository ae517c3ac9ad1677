/// Errors: what a user sees when a call is wrong, and the check for our own faults.
#pragma once

#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kolam {

/// A place in a source file. An empty file means "unknown".
struct SourceLocation {
  std::string file;
  int line = 0;
  explicit operator bool() const { return !file.empty(); }
};

/// The user's line, which a default argument `std::source_location::current()` gave; unknown where
/// that stands in Kolam's own sources.
SourceLocation user_line(const std::source_location& here);

/// Whose rule was broken; Python raises a class that also inherits TypeError, ValueError,
/// IndexError, MemoryError or OSError.
enum class ErrorKind : uint8_t { type, value, index, memory, io, runtime, internal };

/// Wrong use of Kolam. `what()` reads
///
///     matmul: [shape-mismatch] argument 'b': expected extent 3 in dim 0, but got 4
///       at model.py:12
///
/// The slug in brackets has an entry in docs/errors.md.
class Error : public std::runtime_error {
public:
  Error(ErrorKind kind, std::string_view slug, std::string_view message, SourceLocation where = {});

  ErrorKind kind() const { return kind_; }
  const std::string& slug() const { return slug_; }
  /// The public function that it names; empty where it names none.
  const std::string& function() const { return function_; }
  const SourceLocation& where() const { return where_; }
  /// The message without the function's name, slug and location.
  const std::string& message() const { return message_; }

private:
  ErrorKind kind_;
  std::string function_;
  std::string slug_;
  std::string message_;
  SourceLocation where_;
};

/// The public function that is running on this thread and the user's line that called it; the
/// outermost wins. Errors thrown inside carry both.
class CallScope {
public:
  CallScope(std::string_view function, SourceLocation where);
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  /// The outermost scope's function name and location; empty outside any scope.
  static std::string_view current_function();
  static const SourceLocation& current_location();
  /// The number of that call among all of this thread; 0 outside any.
  static unsigned current_number();

private:
  bool outermost_;
  std::string outer_function_; ///< of the call around a callback
  SourceLocation outer_where_;
  unsigned outer_number_ = 0;
};

/// While it lives, calls count as the user's own again: the body of a loop is called from inside a
/// public function, but its lines are the user's.
class CallbackScope {
public:
  CallbackScope();
  ~CallbackScope();
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

private:
  bool was_open_;
};

/// Throws an Error that carries the current CallScope. `message` is lower case without a final
/// stop.
[[noreturn]] void fail(ErrorKind kind, std::string_view slug, std::string_view message);

/// The error that is being handled, in the name of `function` at `here` where it names none.
[[noreturn]] void rethrow_located(std::string_view function, const std::source_location& here);

/// Calls `f` in the name of a public function: an Error that names none names this one, and `here`
/// where it has no line. Costs nothing where nothing is thrown.
template <class F>
decltype(auto) located(std::string_view function, const std::source_location& here, const F& f) {
  try {
    return f();
  } catch (const Error&) {
    rethrow_located(function, here);
  }
}

[[noreturn]] void fail_check(const char* condition, const char* file, int line);

} // namespace kolam

/// Our own invariant: throws an `[internal]` Error where it is broken. Never for user input.
#define KOLAM_CHECK(condition)                                                                     \
  do {                                                                                             \
    if (!(condition)) [[unlikely]]                                                                 \
      ::kolam::fail_check(#condition, __FILE__, __LINE__);                                         \
  } while (false)
