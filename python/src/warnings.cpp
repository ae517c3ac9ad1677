// Keeps warnings, which may come from any thread, until Python can be told.
#include "warnings.h"

#include "errors.h"

#include "kolam/support/warning.h"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace kolam::python {
namespace {

std::atomic<bool> some_wait = false;
std::mutex& mutex = *new std::mutex;
std::vector<std::string>& waiting = *new std::vector<std::string>;

/// Tells Python all that wait. False, with Python's error set, where one became an error.
bool give() {
  std::vector<std::string> given;
  {
    std::lock_guard lock(mutex);
    given.swap(waiting);
    some_wait = false;
  }
  SourceLocation where = user_line();
  for (const std::string& text : given)
    if (PyErr_WarnExplicit(PyExc_RuntimeWarning, ("kolam: " + text).c_str(),
                           where ? where.file.c_str() : "<kolam>", where.line, nullptr, nullptr))
      return false;
  return true;
}

} // namespace

void collect_warnings() {
  set_warning_sink([](const std::string& text) {
    std::lock_guard lock(mutex);
    waiting.push_back(text);
    some_wait = true;
  });
}

bool has_warnings() noexcept { return some_wait.load(std::memory_order_relaxed); }

void give_warnings() {
  if (!give())
    throw nb::python_error();
}

void give_warnings_quietly() noexcept {
  if (!give())
    PyErr_WriteUnraisable(nullptr);
}

} // namespace kolam::python
