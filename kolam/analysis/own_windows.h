/// Whether the steps of a loop touch parts of a state that are theirs alone.
#pragma once

#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"

#include <cstdint>

namespace kolam::analysis {

/// A number of a loop's body, another one at each step.
struct StepNumber {
  mlir::Value value;
  int64_t first, last; ///< between which it lies
};

/// Whether what a body does with `state`, an argument of it, and yields as its next value is to
/// read and to write windows, also in loops and branches inside, which along some dim begin at a
/// multiple of the step's number that is no less than they are long:
///
///     for i < 4: x[8 i : 8 i + 8] += f(i)
///
/// Then no element is of two steps, and steps may run in any order. All windows must surely lie
/// inside, as their starts are clipped else.
bool has_own_windows(mlir::Value state, mlir::Value yielded, const StepNumber& number);

} // namespace kolam::analysis
