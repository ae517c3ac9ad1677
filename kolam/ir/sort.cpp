// kolam.sort: stable sort along the last dimension.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/sorted_rows.h"

namespace kolam::ir {

llvm::LogicalResult SortOp::verify() {
  if (failed(expect_at_least(*this, rank_of(getOperand()), 1, "dim")))
    return mlir::failure();
  return expect_sorted(*this, getOperand(), getValues(), getIndices(), shape_of(getOperand()));
}

space::Signature SortOp::signature() {
  return sign_rows(*this, getOperand(), getValues(), getIndices());
}

double SortOp::flops_per_point() { return sort_flops(shape_of(getOperand()).back()); }

} // namespace kolam::ir
