// Names ops.
#include "kolam/ir/op_name.h"

#include "kolam/ir/ops.h"

namespace kolam::ir {

std::string user_name(mlir::Operation* op) {
  if (auto elementwise = llvm::dyn_cast<ElementwiseOp>(op))
    return elementwise.getFunction().str();
  return op->getName().stripDialect().str();
}

} // namespace kolam::ir
