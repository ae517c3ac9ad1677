// kolam.elementwise: result[i] = fn(operands[0][i], ...), by the table's own host code.
#include "kolam/interp/loop.h"
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
  DType dtype = ir::dtype_of(op.getOperands().back());
  auto* out = static_cast<std::byte*>(result.mutable_data());
  constexpr int64_t kPiece = int64_t{1} << 16; // between looks at the cancel flag
  for (int64_t done = 0; done < result.size(); done += kPiece) {
    poll_cancel(e.options());
    int64_t count = std::min(kPiece, result.size() - done);
    apply_elementwise(*parse_fn(op.getFunction()), dtype, inputs, strides, out, count);
    for (auto [input, operand] : llvm::zip(inputs, op.getOperands()))
      input = static_cast<const std::byte*>(input) + count * byte_width(ir::dtype_of(operand));
    out += count * byte_width(result.dtype());
  }
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
