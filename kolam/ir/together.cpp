// kolam.together: several values whose elements are computed by one loop nest.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult TogetherOp::verify() {
  if (getOperands().empty())
    return emitOpError("expected operands, but got none");
  for (auto [number, operand] : llvm::enumerate(getOperands()))
    if (failed(expect_shape(*this, operand, shape_of(getOperand(0)),
                            "operand " + llvm::Twine(number))))
      return mlir::failure();
  return mlir::success();
}

space::Signature TogetherOp::signature() { return cell_by_cell(*this); }

} // namespace kolam::ir
