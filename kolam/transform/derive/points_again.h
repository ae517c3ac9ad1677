/// Whether points of a kernel keep what their derivative reads, or compute it again.
#pragma once

#include "kolam/transform/derive/bodies.h"

namespace kolam::transform::derive {

/// Of `keep`, a body that keeps its residuals, and `again`, which keeps its arguments and is
/// computed again in the reversed loop, where residuals live for one step: the better one. A
/// derivative is to hold no more than the kernel's arrays do; of what is less the price of bytes
/// and operations decides. Notes say which.
Apart points_apart(const std::function<Apart()>& keep, const std::function<Apart()>& again,
                   const Steps& steps);

/// What the elements of an op's results cost, without its bodies: a product's multiplication and
/// addition are one operation.
double operations_of(mlir::Operation* op);

} // namespace kolam::transform::derive
