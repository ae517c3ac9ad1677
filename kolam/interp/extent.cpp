// kolam.extent: the value of an extent expression under the sizes of the call.
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::ExtentOp op, Evaluation& e) {
  e.set(op.getResult(), Array::scalar(e.size(*Extent::parse(op.getExpression()))));
}

} // namespace kolam::interp
