/// What runs of plans say of themselves.
#pragma once

#include <cstdint>
#include <vector>

namespace kolam::plans {

/// How far a run is: bytes are those of blocks that tasks make.
struct RunProgress {
  int64_t tasks_done = 0, tasks = 0;
  int64_t bytes_done = 0, bytes = 0;
  double seconds = 0;       ///< since the start
  double seconds_left = -1; ///< as the tasks' flops and bytes let expect; -1: not known yet
};

/// What a run did.
struct RunReport {
  int64_t tasks = 0;                ///< that compute
  int64_t found = 0;                ///< of these, whose results were kept from earlier runs
  std::vector<int64_t> peak_memory; ///< bytes of blocks, by worker; empty where an engine knows
  double seconds = 0;
};

} // namespace kolam::plans
