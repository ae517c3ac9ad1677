/// The data dimension on a new axis: slices along it, stacked.
#pragma once

#include "mlir/IR/Operation.h"

#include <vector>

namespace kolam::analysis {

/// A dim of an op's operand, and a dim of extent 1 beside it that the op gives its result.
struct NewAxis {
  size_t dim = 0;  ///< of the operand
  size_t axis = 0; ///< of the result
};

/// Those of an op that adds dims; none of others. No dim of the operand lies between the two.
std::vector<NewAxis> new_axes(mlir::Operation* op);

/// Puts slices of one element along `at.dim`, stacked one after the other, in place of an op.
///
///     y [8 1] = expand_dims x [8!]   becomes   y [8 1!] = concat of expand_dims of x[i:i+1] [1!]
///
/// The elements are the same; only the slices' own dim, which the data dimension may be, stands
/// where the op has the new one. Source: reference, vectors 26 and 27. The extent is a number.
void stack_slices(mlir::Operation* op, const NewAxis& at);

} // namespace kolam::analysis
