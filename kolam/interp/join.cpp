// kolam.join: lists of one type, one after the other.
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::JoinOp op, Evaluation& e) {
  std::vector<List> lists;
  for (mlir::Value list : op.getLists())
    lists.push_back(e.get_list(list));
  e.set_datum(op.getResult(), List::join(lists));
}

} // namespace kolam::interp
