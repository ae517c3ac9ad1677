// kolam.expand_dims: the same elements; the new coordinates are 0.
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::ExpandDimsOp op, Evaluation& e) {
  e.set(op.getResult(), e.get(op.getOperand()).reshaped(e.sizes(op.getType())));
}

} // namespace kolam::interp
