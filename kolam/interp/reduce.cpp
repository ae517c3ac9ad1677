// kolam.reduce: combines the elements of the inputs along dims with a monoid.
#include "kolam/interp/ops.h"
#include "kolam/interp/reduction.h"

namespace kolam::interp {

void evaluate_op(ir::ReduceOp op, Evaluation& e) {
  std::vector<Array> inputs, results;
  for (mlir::Value input : op.getInputs())
    inputs.push_back(e.get(input));
  for (mlir::Value result : op.getResults())
    results.push_back(e.make(result));
  auto element = [&](const Index& index) {
    Cells cells;
    for (const Array& input : inputs)
      std::memcpy(cells.emplace_back().bytes, cell(input, index), byte_width(input.dtype()));
    return cells;
  };
  reduce_cells(ir::reduction_of(op), inputs.front().shape(), element, results, e);
  for (auto [value, array] : llvm::zip(op.getResults(), results))
    e.set(value, array);
}

} // namespace kolam::interp
