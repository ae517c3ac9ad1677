/// Looking at programs: what is fused, what it costs, how it hangs together.
#pragma once

#include "kolam/driver/compile.h"

#include <map>

namespace kolam::driver {

/// The nests with what each fuses, bytes and flops, and for neighbours that are not fused why not.
std::string explain(const Module& program, const Options& options);

/// "flops" and "bytes" of a run. Symbolic extents count as 1000. a loop whose end only the run
/// knows as 100,000 turns.
std::map<std::string, double> cost(const Module& program, const Options& options);

/// The graph of ops in graphviz's language.
std::string as_dot(const Module& program);

} // namespace kolam::driver
