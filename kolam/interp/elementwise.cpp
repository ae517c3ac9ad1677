// kolam.elementwise: result[i] = fn(operands[0][i], ...), by the table's own host code.
#include "kolam/interp/ops.h"
#include "kolam/support/elementwise_host.h"

namespace kolam::interp {

void evaluate_op(ir::ElementwiseOp op, Evaluation& e) {
  Array result = e.make(op.getResult());
  std::vector<const void*> inputs;
  for (mlir::Value operand : op.getOperands())
    inputs.push_back(e.get(operand).data());
  // The dtype of a row is that of its last operand: the condition of `where` comes first.
  std::vector<int64_t> strides(inputs.size(), 1);
  apply_elementwise(*parse_fn(op.getFunction()), ir::dtype_of(op.getOperands().back()), inputs,
                    strides, result.mutable_data(), result.size());
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
