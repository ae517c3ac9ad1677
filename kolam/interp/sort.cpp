// kolam.sort: each row of the last dim in stable order, with the places its elements came from.
#include "kolam/interp/ops.h"
#include "kolam/interp/sorted_rows.h"

namespace kolam::interp {

void evaluate_op(ir::SortOp op, Evaluation& e) {
  Array values = e.make(op.getValues()), indices = e.make(op.getIndices());
  runtime::sort_rows(
      rows_of(e.get(op.getOperand()), values, indices, op.getDescending(), e.options()));
  e.set(op.getValues(), values);
  e.set(op.getIndices(), indices);
}

} // namespace kolam::interp
