/// Ops whose order can be seen from outside.
#pragma once

#include "kolam/ir/ops.h"

namespace kolam::transform::lists {

/// Whether an op, or one in it, calls a function of the host: instances of a body with such an op
/// run in order, each once.
bool calls_host(mlir::Operation* op);

} // namespace kolam::transform::lists
