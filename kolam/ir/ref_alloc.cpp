// kolam.ref_alloc: an array of zeros.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/kernels.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult RefAllocOp::verify() { return mlir::success(); }

space::Signature RefAllocOp::signature() { return opaque_signature(*this); }

std::vector<space::DataDimTable> RefAllocOp::data_dim_rows(const space::DataDimQuestion&) {
  return {};
}

} // namespace kolam::ir
