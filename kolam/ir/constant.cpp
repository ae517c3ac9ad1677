// kolam.constant: a literal.
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

llvm::LogicalResult ConstantOp::verify() {
  if (llvm::isa<mlir::DenseIntOrFPElementsAttr>(getValue()))
    return mlir::success();
  return emitOpError("expected a dense literal, but got ") << getValue();
}

space::Signature ConstantOp::signature() { return over_result(*this, {}); }

} // namespace kolam::ir
