/// Numbers in the bodies of loops that follow from the number of the step.
#pragma once

#include "mlir/IR/Value.h"

namespace kolam::ir {

/// Whether a scalar in a body depends on nothing but constants, counters of loops, states that
/// count on, and what the loops around it do not change: as a condition it holds, or fails, for
/// many steps one after the other.
bool is_counted(mlir::Value scalar);

} // namespace kolam::ir
