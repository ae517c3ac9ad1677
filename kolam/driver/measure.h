/// What the steps of a program take.
#pragma once

#include "kolam/driver/compile.h"
#include "kolam/driver/op_names.h"
#include "kolam/nest/nest.h"

namespace kolam::driver {

/// Some runs of a program, of which the quickest stands for all.
struct MeasuredRuns {
  int runs = 0, threads = 1;
  Measured quickest;
  double preparation_seconds = 0;
  std::vector<runtime::StepRecord> preparation; ///< what is computed once, in front of all runs
};

/// Runs again and again for about half a second, once at least. Arguments stay as they are. Throws
/// what a run throws.
MeasuredRuns measure(const Executable& executable, std::span<const Array> arguments,
                     const volatile int32_t* cancel);

/// The steps by time: each with its share of the run and of what the machine can do at most, which
/// is measured meanwhile (runtime/machine_speed.h). `nests` are those of the program that ran.
std::string to_string(const MeasuredRuns& measurement, const nest::NestList& nests, OpNames& names,
                      const Machine& machine);

} // namespace kolam::driver
