// kolam.flatten: the two outer levels of a list become one.
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::FlattenOp op, Evaluation& e) {
  e.set_datum(op.getResult(), e.get_list(op.getList()).flattened());
}

} // namespace kolam::interp
