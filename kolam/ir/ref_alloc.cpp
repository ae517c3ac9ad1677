// kolam.ref_alloc: an array of zeros.
#include "kolam/ir/kernels.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult RefAllocOp::verify() { return mlir::success(); }

space::Signature RefAllocOp::signature() { return opaque_signature(*this); }

} // namespace kolam::ir
