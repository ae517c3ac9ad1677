/// Plans as graphs.
#pragma once

#include "kolam/plan/plan.h"

namespace kolam::plans {

/// A graph for Graphviz: stages, and tensors with their shards, coloured by the worker that makes
/// them. Edges bear the rows of projections, `[A | b | S]`. Loads are not drawn: the shards of an
/// argument say where it is loaded. Throws the breaks of the plan's structure.
std::string as_dot(const Plan& plan);

} // namespace kolam::plans
