/// Loops whose states are a few numbers.
#pragma once

#include "mlir/IR/Operation.h"

namespace kolam::nest {

/// A loop whose states have few elements, each of which may need all others of the step before (the
/// product of two small matrices, a system of a few equations), carries every element as a number:
///
///     for t: h = a[t] @ h      =      for t: h00, h01, .. = (a[t] @ [[h00, h01], ..])[0, 0], ..
///
/// so that it stands in one nest with its states in registers. Done where a step has little
/// arithmetic; null where not, else the loop that has taken its place.
mlir::Operation* carry_numbers(mlir::Operation* loop);

} // namespace kolam::nest
