/// Where elements of arguments are loaded.
#pragma once

#include "kolam/planner/blocks.h"

namespace kolam::planner {

/// A box that a worker needs; of one tensor.
using Needed = std::vector<Block>;
/// A box and the worker that loads it.
using Home = Block;

/// Disjoint boxes that hold all needed ones, each at a worker that needs it whole: elements that
/// the same workers need are shared evenly among these.
std::vector<Home> homes_of(const Needed& needed);

} // namespace kolam::planner
