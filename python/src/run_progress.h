/// The progress of plans' runs, told to functions of Python's.
#pragma once

#include "kolam/plan/run_report.h"

#include "bind.h"

#include <functional>

namespace kolam::python {

/// Calls `progress`, which may be None; whatever thread it is on. Copies of what it gives need the
/// GIL, as they hold the function.
inline std::function<void(const plans::RunProgress&)> teller(const nb::object& progress) {
  if (progress.is_none())
    return {};
  return [progress](const plans::RunProgress& now) {
    nb::gil_scoped_acquire gil;
    progress(now.tasks_done, now.tasks, now.bytes_done, now.bytes, now.seconds, now.seconds_left);
  };
}

} // namespace kolam::python
