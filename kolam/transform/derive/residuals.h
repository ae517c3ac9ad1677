/// Which values a body keeps for its linear part, and which are computed again.
#pragma once

#include "kolam/transform/derive/bodies.h"

namespace kolam::transform::derive {

/// Whether computing the op's result again costs less than keeping it: single elementwise
/// functions, views, broadcasts, random bits.
bool is_cheap_again(mlir::Operation* op);

/// Keeps the fewest bytes from which the residuals can be computed by ops that are cheap again.
/// What the linear program reads else, it computes again, by the same ops: the same bits. The first
/// `states` arguments of the body cost memory to keep, as each step has others; its other arguments
/// are there anyway.
void cut_residuals(Apart& apart, size_t states);

} // namespace kolam::transform::derive
