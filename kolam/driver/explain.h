/// Looking at programs: what is fused, what it costs, how it hangs together.
#pragma once

#include "kolam/driver/measure.h"

#include <map>

namespace kolam::driver {

/// The nest list; what each step costs, and all of them; and for every pair of neighbours whether
/// they are fused or why not. Ops have the names of `as_text("rewritten")`, behind those of the ops
/// whose bodies they stand in, and the user's line. Also how each nest runs, by the schedule
/// that it would be compiled with, and what its code does element by element; a summary of what was
/// refused, by reason; how many nests would not be compiled again; and where it was `measured`,
/// what each step takes.
std::string explain(const Module& program, const Options& options,
                    const MeasuredRuns* measured = nullptr);

/// Of a run: "flops", "bytes", "arena_bytes" and "nests", as in driver/cost.h.
std::map<std::string, double> cost(const Module& program, const Options& options);

/// The function of an elementwise op, else the op's name without its dialect.
std::string label_of(mlir::Operation* op);

/// The graph of ops in graphviz's language; the bodies of ops are clusters.
std::string as_dot(const Module& program);

} // namespace kolam::driver
