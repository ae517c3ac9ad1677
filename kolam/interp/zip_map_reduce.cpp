// kolam.zip_map_reduce: the body on the elements at every index of the space, then the reduction.
#include "kolam/interp/ops.h"
#include "kolam/interp/reduction.h"

namespace kolam::interp {

void evaluate_op(ir::ZipMapReduceOp op, Evaluation& e) {
  std::vector<Array> inputs, captures, results;
  for (mlir::Value input : op.getInputs())
    inputs.push_back(e.get(input));
  for (mlir::Value capture : op.getCaptures())
    captures.push_back(e.get(capture));
  for (mlir::Value result : op.getResults())
    results.push_back(e.make(result));
  std::vector<int64_t> space = e.sizes(op.getSpace().shape());
  auto body = [&](const Index& index) {
    std::vector<Array> arguments;
    for (const Array& input : inputs)
      arguments.push_back(Array::copy_of(input.dtype(), {}, cell(input, index)));
    arguments.insert(arguments.end(), captures.begin(), captures.end());
    std::vector<int64_t> outer = std::exchange(e.point, index);
    Cells cells;
    for (const Array& yielded : e.run(op.getBody(), arguments))
      cells.push_back(to_cell(yielded));
    e.point = std::move(outer);
    return cells;
  };
  if (auto reduction = ir::reduction_of(op))
    reduce_cells(*reduction, space, body, results, e);
  else
    for_each_index(space, [&](const Index& index) {
      for (auto [result, yielded] : llvm::zip(results, body(index)))
        copy_cell(to_array(yielded, result.dtype()), {}, result, index);
    });
  for (auto [value, array] : llvm::zip(op.getResults(), results))
    e.set(value, array);
}

} // namespace kolam::interp
