/// The line that long compiles show on a terminal.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace kolam::driver {

/// Shows `kolam: compiling: nest 3/17`, or what else the work is, on a terminal's stderr once a
/// second has passed, also in the middle of a stage, keeps it up to date and clears it at the end.
/// Elsewhere it does nothing.
class Progress {
public:
  explicit Progress(int terminal = STDERR_FILENO,
                    std::chrono::milliseconds patience = std::chrono::seconds(1),
                    std::string work = "compiling");
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Now at this stage, of a piece where `total` is given.
  void at(std::string_view stage, size_t number = 0, size_t total = 0);

private:
  void show_until_done();

  int terminal_;
  std::chrono::milliseconds patience_;
  std::string work_;
  std::mutex mutex_; // guards what follows
  std::condition_variable changed_;
  std::string now_;
  bool done_ = false;
  std::thread timer_;
};

} // namespace kolam::driver
