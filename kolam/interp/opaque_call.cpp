// kolam.opaque_call: what the function gives for the whole arrays.
#include "kolam/interp/kernel_checker.h"
#include "kolam/interp/ops.h"
#include "kolam/ir/location.h"
#include "kolam/runtime/host_functions.h"

namespace kolam::interp {

void evaluate_op(ir::OpaqueCallOp op, Evaluation& e) {
  if (e.options().checker && op.getNumResults() == 0 && e.options().checker->is_repeated())
    return; // a print
  CallScope scope("opaque_call", ir::to_source_location(op.getLoc()));
  std::vector<Array> inputs;
  for (mlir::Value input : op.getInputs())
    inputs.push_back(e.get(input));
  std::vector<runtime::ArrayType> types;
  for (mlir::Value result : op.getResults())
    types.push_back({ir::dtype_of(result), e.sizes(ir::shape_of(result))});
  std::vector<Array> results = runtime::call_host_function(op.getCallee().str(), inputs, types);
  for (auto [result, array] : llvm::zip(op.getResults(), results))
    e.set(result, array);
}

} // namespace kolam::interp
