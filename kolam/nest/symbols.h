/// What a nest must be told at the call.
#pragma once

#include "kolam/nest/nest.h"

namespace kolam::nest {

/// The symbols of all extents that the nest's ops mention, sorted.
std::vector<std::string> symbols_of(const Nest& nest);

/// The flat range over which a nest with this root may be cut: the op's own tasks, or the outermost
/// dim of its result where any cell can be computed alone, else 1.
Extent parallel_extent(mlir::Operation* root);

} // namespace kolam::nest
