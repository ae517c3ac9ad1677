/// Proves the schedules of a program's nests by running them without code.
#pragma once

#include "kolam/driver/compile.h"

namespace kolam::driver {

/// What is wrong with the schedules by which the nests of a program would be compiled: rules that
/// they break (nest/schedule_check.h), and what a run of each without values shows
/// (backend/schedule/run.h), cut into `threads` parts; symbols have the numbers of `sizes`, or 3.
struct ScheduleFaults {
  std::vector<std::string> faults; ///< each with its nest
  int64_t run = 0;                 ///< nests whose schedule was run
  int64_t left_out = 0;            ///< those that were not: too large, or of other sizes only
};
ScheduleFaults schedule_faults(const Module& program, const Options& options,
                               const std::map<std::string, int64_t>& sizes, int threads);

} // namespace kolam::driver
