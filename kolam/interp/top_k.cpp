// kolam.top_k: the first k elements of each row in sorted order, with their places.
#include "kolam/interp/ops.h"
#include "kolam/interp/sorted_rows.h"

namespace kolam::interp {

void evaluate_op(ir::TopKOp op, Evaluation& e) {
  Array values = e.make(op.getValues()), indices = e.make(op.getIndices());
  runtime::top_k_rows(
      rows_of(e.get(op.getOperand()), values, indices, op.getLargest(), e.options()),
      static_cast<int64_t>(op.getK()));
  e.set(op.getValues(), values);
  e.set(op.getIndices(), indices);
}

} // namespace kolam::interp
