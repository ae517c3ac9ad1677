// kolam.materialize: the same elements, in memory.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult MaterializeOp::verify() {
  if (failed(expect_shape(*this, getResult(), shape_of(getOperand()), "the result")))
    return mlir::failure();
  return expect_dtype(*this, getResult(), dtype_of(getOperand()), "the result");
}

space::Signature MaterializeOp::signature() { return cell_by_cell(*this); }

} // namespace kolam::ir
