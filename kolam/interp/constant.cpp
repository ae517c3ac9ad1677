// kolam.constant: a literal.
#include "kolam/interp/literal.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::ConstantOp op, Evaluation& e) {
  e.set(op.getResult(), to_array(op.getValue()));
}

} // namespace kolam::interp
