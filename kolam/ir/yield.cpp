// kolam.yield: gives a region's results.
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult YieldOp::verify() {
  mlir::Operation* parent = (*this)->getParentOp();
  if (llvm::isa_and_present<KolamDialect>(parent->getDialect()))
    return mlir::success();
  return emitOpError("expected to end a region of a kolam op, but got '")
         << parent->getName() << "'";
}

space::Signature YieldOp::signature() { return opaque_signature(*this); }

} // namespace kolam::ir
