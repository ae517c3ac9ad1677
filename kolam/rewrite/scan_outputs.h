/// What a scan of numbers gives at each step and no later step needs.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace kolam::rewrite {

/// Computes outputs of scans whose states are numbers behind them, of the states that they need,
/// where that is long work: there it goes by vectors, where a step computes one number.
///
///     (s, y) = scan of (t, g(t, x)), t = f(s, x)    =    (s, t) = scan of (t, t); y = g(t, x)
void compute_outputs_behind_scans(mlir::ModuleOp module);

} // namespace kolam::rewrite
