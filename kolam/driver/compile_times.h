/// Where the time of compiling a program goes.
#pragma once

#include "kolam/backend/backend.h"
#include "kolam/driver/compile.h"

#include <string>
#include <vector>

namespace kolam::driver {

using backend::Phases;

struct CompileTimes {
  Phases phases; ///< of the whole program
  struct Nest {
    std::string name; ///< of the first of equal ones, which share its code
    int64_t equal = 1;
    Phases phases;
    double seconds() const;
  };
  std::vector<Nest> nests; ///< in the order of the program
  double seconds() const;
};

/// Compiles the program once more on this thread, as if nothing were compiled or kept on disk.
CompileTimes measure_compiling(const Module& program, const Options& options);

/// The phases, and the nests that take longest.
std::string to_string(const CompileTimes& times);

} // namespace kolam::driver
