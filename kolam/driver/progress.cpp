// Shows progress of long compiles.
#include "kolam/driver/progress.h"

#include <csignal>
#include <system_error>

namespace kolam::driver {
namespace {

void write_line(int terminal, const std::string& text) {
  std::string line = "\r\033[K" + text;
  // A terminal that is gone is no reason to stop.
  [[maybe_unused]] ssize_t written = ::write(terminal, line.data(), line.size());
}

} // namespace

Progress::Progress(int terminal, std::chrono::milliseconds patience, std::string work)
    : terminal_(terminal), patience_(patience), work_(std::move(work)) {
  if (!isatty(terminal))
    return;
  // Signals are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    timer_ = std::thread([this] { show_until_done(); });
  } catch (const std::system_error&) {
    // No thread to be had: compile without the line.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Progress::~Progress() {
  if (!timer_.joinable())
    return;
  {
    std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  timer_.join();
}

void Progress::at(std::string_view stage, size_t number, size_t total) {
  if (!timer_.joinable())
    return;
  {
    std::lock_guard lock(mutex_);
    now_ = stage;
    if (total > 0)
      now_ += " " + std::to_string(number) + "/" + std::to_string(total);
  }
  changed_.notify_one();
}

void Progress::show_until_done() {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, patience_, [this] { return done_; }))
    return;
  while (!done_) {
    std::string shown = now_;
    write_line(terminal_, shown.empty() ? "" : "kolam: " + work_ + ": " + shown);
    changed_.wait(lock, [&] { return done_ || now_ != shown; });
  }
  write_line(terminal_, "");
}

} // namespace kolam::driver
