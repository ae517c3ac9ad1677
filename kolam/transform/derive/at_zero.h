/// What a function that is said to be linear gives where its arguments are 0, as far as numbers of
/// the program say it.
#pragma once

#include "kolam/transform/derive/activity.h"

namespace kolam::transform::derive {

/// Throws `[not-linear]` at the line that adds them where results of a body, from number `first`
/// on, are known to have other numbers than 0 if its active arguments are 0. `arguments` stand for
/// all.
void require_zeros_at_zero(mlir::Region& body, mlir::ValueRange arguments,
                           llvm::ArrayRef<bool> active, size_t first);

} // namespace kolam::transform::derive
