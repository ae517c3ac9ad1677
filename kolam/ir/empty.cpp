// kolam.empty: memory to be written.
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult EmptyOp::verify() { return mlir::success(); }

space::Signature EmptyOp::signature() { return over_result(*this, {}); }

} // namespace kolam::ir
