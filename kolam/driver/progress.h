/// The line that long compiles show on a terminal.
#pragma once

#include <chrono>
#include <cstdio>
#include <string_view>

namespace kolam::driver {

/// Shows `compiling: stage 3/17` on a terminal's stderr once a second has passed; clears it at the
/// end.
class Progress {
public:
  Progress() = default;
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void at(std::string_view stage, size_t done = 0, size_t total = 0);

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool shown_ = false;
};

} // namespace kolam::driver
