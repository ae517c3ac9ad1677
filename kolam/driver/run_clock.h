/// How far a run of a plan is, told from time to time.
#pragma once

#include "kolam/driver/progress.h"
#include "kolam/driver/run_plan.h"

#include <chrono>

namespace kolam::driver {

/// Tells the progress line and whoever asked, one thread at a time.
class RunClock {
public:
  RunClock(plans::RunProgress all, std::function<void(const plans::RunProgress&)> told);
  /// A task ended that took `share` of the whole work, and made blocks of so many bytes.
  void ended(double share, int64_t bytes);
  /// All is done: tells it once more.
  void finish();
  double seconds() const;

private:
  void tell();

  using Clock = std::chrono::steady_clock;
  std::mutex mutex_; ///< guards what follows
  plans::RunProgress now_;
  std::function<void(const plans::RunProgress&)> told_;
  Clock::time_point start_ = Clock::now(), latest_ = start_;
  double share_ = 0;
  Progress line_;
};

/// `12/64 tasks, 1.2 of 4.0 GiB, 12 s left`.
std::string progress_text(const plans::RunProgress& progress);

} // namespace kolam::driver
