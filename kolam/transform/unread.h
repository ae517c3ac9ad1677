/// Takes out of programs what nobody reads.
#pragma once

#include "mlir/IR/Block.h"

namespace kolam::transform {

/// Drops ops that no result of the block needs and that do nothing else. Of loops and branches,
/// also of those inside, go the states and results that no result needs, and what they take that
/// their bodies do not read: a state that only its own next value reads is none of a result's.
///
///     (s, t, y) = scan over x, u: (f(s, x), g(s, t), h(t))   of which s is read
///   = s = scan over x: f(s, x)
///
/// What stands in composites stays: transformations may yet read it.
void drop_unread(mlir::Block& block);

} // namespace kolam::transform
