// Composes the words of errors and keeps the thread's current call.
#include "kolam/support/error.h"

#include "kolam/support/continued_call.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kolam {
namespace {

struct CurrentCall {
  std::string function;
  SourceLocation where;
  bool is_open =
      false; ///< false outside calls and in a callback, where the next call is the user's
  unsigned number = 0;
};

thread_local CurrentCall current_call;
thread_local unsigned call_count = 0;

std::string compose(std::string_view slug, std::string_view message, const SourceLocation& where) {
  std::string text;
  if (!current_call.function.empty())
    text.append(current_call.function).append(": ");
  text.append("[").append(slug).append("] ").append(message);
  if (where)
    text.append("\n  at ").append(where.file).append(":").append(std::to_string(where.line));
  return text;
}

/// Whether a line is none, or stands in Kolam's own sources, built together with this file.
bool is_own(const std::source_location& line) {
  if (line.line() == 0)
    return true;
  const std::string_view file = line.file_name(), own = __FILE__;
  const size_t root = own.size() - std::string_view("kolam/support/error.cpp").size();
  if (file.substr(0, root) != own.substr(0, root))
    return false;
  const std::string_view rest = file.substr(std::min(root, file.size()));
  return rest.starts_with("kolam/") || rest.starts_with("python/src/");
}

} // namespace

SourceLocation user_line(const std::source_location& here) {
  if (is_own(here))
    return {};
  return {here.file_name(), static_cast<int>(here.line())};
}

void rethrow_located(std::string_view function, const std::source_location& here) {
  try {
    throw;
  } catch (const Error& error) {
    if (!CallScope::current_function().empty() || is_own(here))
      throw; // the call around this one names itself
    if (!error.function().empty() && error.where())
      throw;
    const SourceLocation line = error.where() ? error.where() : user_line(here);
    CallScope scope(error.function().empty() ? function : error.function(), line);
    throw Error(error.kind(), error.slug(), error.message(), line);
  }
}

Error::Error(ErrorKind kind, std::string_view slug, std::string_view message, SourceLocation where)
    : std::runtime_error(compose(slug, message, where)), kind_(kind),
      function_(current_call.function), slug_(slug), message_(message), where_(std::move(where)) {}

CallScope::CallScope(std::string_view function, SourceLocation where)
    : outermost_(!current_call.is_open) {
  if (!outermost_)
    return;
  outer_function_ = std::exchange(current_call.function, std::string(function));
  outer_where_ = std::exchange(current_call.where, std::move(where));
  outer_number_ = std::exchange(current_call.number, ++call_count);
  current_call.is_open = true;
}

CallScope::~CallScope() {
  if (outermost_)
    current_call = {std::move(outer_function_), std::move(outer_where_), false, outer_number_};
}

CallbackScope::CallbackScope() : was_open_(std::exchange(current_call.is_open, false)) {}

CallbackScope::~CallbackScope() { current_call.is_open = was_open_; }

std::string_view CallScope::current_function() {
  return current_call.is_open ? std::string_view(current_call.function) : "";
}

const SourceLocation& CallScope::current_location() {
  static const SourceLocation unknown;
  return current_call.is_open ? current_call.where : unknown;
}

void continue_call(unsigned number) { current_call.number = number; }

unsigned CallScope::current_number() { return current_call.is_open ? current_call.number : 0; }

void fail(ErrorKind kind, std::string_view slug, std::string_view message) {
  // In a callback, what no call of the user's raises belongs to the call around it.
  throw Error(kind, slug, message, current_call.where);
}

void fail_check(const char* condition, const char* file, int line) {
  throw Error(ErrorKind::internal, "internal",
              std::string("check failed: ") + condition + " (" + file + ":" + std::to_string(line) +
                  ")",
              current_call.where);
}

} // namespace kolam
