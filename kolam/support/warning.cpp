// Gives each warning out once.
#include "kolam/support/warning.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>

namespace kolam {
namespace {

std::atomic<void (*)(const std::string&)> current_sink = nullptr;

/// True for a text that has not been told.
bool is_new(const std::string& text) {
  static std::mutex& mutex = *new std::mutex;
  static std::set<std::string>& told = *new std::set<std::string>;
  std::lock_guard lock(mutex);
  return told.insert(text).second;
}

} // namespace

void warn(const std::string& text) noexcept {
  try {
    if (!is_new(text))
      return;
    if (auto* sink = current_sink.load())
      sink(text);
    else
      std::fprintf(stderr, "kolam: warning: %s\n", text.c_str());
  } catch (...) {
    // No memory for a warning: the work goes on without.
  }
}

void set_warning_sink(void (*sink)(const std::string& text)) noexcept { current_sink = sink; }

} // namespace kolam
