// Tells how far a run is.
#include "kolam/driver/run_clock.h"

#include <cstdio>

namespace kolam::driver {
namespace {

/// Text: seconds between two words about the progress.
constexpr double kPause = 0.1;

std::string scaled(double bytes, int power) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", bytes / static_cast<double>(int64_t{1} << 10 * power));
  return text;
}

} // namespace

std::string progress_text(const plans::RunProgress& progress) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int power = 0;
  while (power < 4 && (progress.bytes >> 10 * (power + 1)) > 0)
    ++power;
  std::string text = std::to_string(progress.tasks_done) + "/" + std::to_string(progress.tasks) +
                     " tasks, " + scaled(static_cast<double>(progress.bytes_done), power) + " of " +
                     scaled(static_cast<double>(progress.bytes), power) + " " + units[power];
  if (progress.seconds_left >= 0)
    text += ", " + std::to_string(static_cast<int64_t>(progress.seconds_left + 0.5)) + " s left";
  return text;
}

RunClock::RunClock(plans::RunProgress all, std::function<void(const plans::RunProgress&)> told)
    : now_(all), told_(std::move(told)),
      line_(STDERR_FILENO, std::chrono::seconds(1), "running a plan") {}

double RunClock::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void RunClock::ended(double share, int64_t bytes) {
  std::lock_guard lock(mutex_);
  ++now_.tasks_done;
  now_.bytes_done += bytes;
  share_ += share;
  const Clock::time_point now = Clock::now();
  if (std::chrono::duration<double>(now - latest_).count() < kPause)
    return;
  latest_ = now;
  tell();
}

void RunClock::finish() {
  std::lock_guard lock(mutex_);
  tell();
}

void RunClock::tell() {
  now_.seconds = seconds();
  now_.seconds_left = share_ > 0 ? now_.seconds * std::max(0.0, 1 - share_) / share_ : -1;
  line_.at(progress_text(now_));
  if (told_)
    told_(now_);
}

} // namespace kolam::driver
