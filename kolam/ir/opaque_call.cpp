// kolam.opaque_call: a call of a function of the process.
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult OpaqueCallOp::verify() {
  if (getCallee().empty())
    return emitOpError("expected the name of a function, but got ''");
  return mlir::success();
}

space::Signature OpaqueCallOp::signature() { return opaque_signature(*this); }

} // namespace kolam::ir
