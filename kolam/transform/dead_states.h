/// Takes out of loops what nobody reads.
#pragma once

#include "mlir/IR/Block.h"

namespace kolam::transform {

/// Drops ops of a block whose results nothing uses, and of its loops the states and stacked results
/// that no result of the block needs, also of loops and branches inside: a state that only its own
/// next value reads is none of a result's.
///
///     for i < n: (s, t) = (f(s), g(s, t))   of which s is read   becomes   for i < n: s = f(s)
void drop_dead_states(mlir::Block& block);

} // namespace kolam::transform
