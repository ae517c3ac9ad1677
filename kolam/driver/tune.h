/// Tuning: tries the schedules of a program's nests and keeps what they took.
#pragma once

#include "kolam/driver/compile.h"

namespace kolam::driver {

/// What became of a nest.
struct TunedNest {
  std::string name;
  size_t measured = 0, possible = 0; ///< schedules, of this call and of earlier ones
  double by_rule = 0, best = 0;      ///< seconds a run; 0 where not measured
  nest::Schedule schedule;           ///< that later compiles follow
};

/// Measures schedules of all nests, one of each nest at a time, at least
/// one and for about `seconds`, those that have
/// been measured before left out; each measurement is kept at once. Runs the program on
/// `arguments`, again and again, host functions included. Equal nests are one, under the name of
/// the first. Throws what a run throws.
std::vector<TunedNest> tune(const Module& program, const Options& options,
                            std::span<const Array> arguments, double seconds,
                            const volatile int32_t* cancel);

} // namespace kolam::driver
