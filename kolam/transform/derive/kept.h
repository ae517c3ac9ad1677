/// Which residuals of a loop each step keeps, and which are computed again from these.
#pragma once

#include "kolam/transform/derive/bodies.h"

namespace kolam::transform::derive {

/// Takes residuals out of `apart` that a few flops an element give from others: the linear program
/// computes them from what is kept. Where a step keeps s, s (1 - s) is not kept too. The body's
/// first `changing` arguments are other ones at each step.
void compute_again(Apart& apart, size_t changing);

} // namespace kolam::transform::derive
