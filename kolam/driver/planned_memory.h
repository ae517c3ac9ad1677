/// What memory a program plans to work in.
#pragma once

#include "kolam/driver/compile.h"

namespace kolam::driver {

/// Beside arguments and results, in bytes.
struct PlannedMemory {
  double bytes = 0; ///< at the sizes asked for
  Extent at_all_sizes;
  std::vector<std::string>
      largest; ///< what is kept, the largest first: `float32[8, 8] of tanh (file:3)`
};
/// `sizes` are those of symbols; others count as 1000.
PlannedMemory planned_memory(const Module& program, const Options& options,
                             const std::map<std::string, int64_t>& sizes = {});

} // namespace kolam::driver
