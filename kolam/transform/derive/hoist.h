/// What loops make of their captures alone, made outside.
#pragma once

#include "kolam/transform/derive/bodies.h"

namespace kolam::transform::derive {

/// Moves views of captures, as `W[layer]`, and casts of them out of the loops of a body: a step's
/// contribution to such a view is one to a value that the loop captures.
///
///     for x: h = tanh(x W[2] + h)   becomes   V = W[2]; for x: h = tanh(x V + h)
void hoist_views(mlir::Region& body);

/// The residuals that depend on captures alone, computed at the builder's place: they are no
/// results of `apart.primal` any more. Number k among them is -2 - k in `apart.arguments`. `own`
/// results of the primal body come before the residuals, the captures are its last arguments.
Values take_invariants(Builder& b, Apart& apart, size_t own, const Values& captures);

} // namespace kolam::transform::derive
