/// Which values a body keeps for its linear part, and which are computed again.
#pragma once

#include "kolam/transform/derive/bodies.h"

namespace kolam::transform::derive {

/// Keeps the fewest bytes from which the residuals can be computed by ops that cost little: single
/// elementwise functions, views, broadcasts, random bits. What the linear program reads else, it
/// computes again, by the same ops: the same bits. The first `states` arguments of the body cost
/// memory to keep, as each step has others; its other arguments are there anyway.
void cut_residuals(Apart& apart, size_t states);

} // namespace kolam::transform::derive
