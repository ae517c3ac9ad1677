/// What memory a program plans to work in.
#pragma once

#include "kolam/driver/compile.h"

namespace kolam::driver {

/// Beside arguments and results, in bytes; sizes that only a call knows count as 1000 elements.
struct PlannedMemory {
  double bytes = 0;
  std::vector<std::string>
      largest; ///< what is kept, the largest first: `float32[8, 8] of tanh (file:3)`
};
PlannedMemory planned_memory(const Module& program, const Options& options);

} // namespace kolam::driver
