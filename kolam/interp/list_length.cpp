// kolam.list_length: the number of elements of the outermost level.
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::ListLengthOp op, Evaluation& e) {
  e.set(op.getResult(), Array::scalar(e.get_list(op.getList()).size()));
}

} // namespace kolam::interp
