// kolam.top_k: the k largest (or smallest) elements of the last dimension.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/sorted_rows.h"

namespace kolam::ir {

llvm::LogicalResult TopKOp::verify() {
  if (failed(expect_at_least(*this, rank_of(getOperand()), 1, "dim")))
    return mlir::failure();
  Shape shape = shape_of(getOperand());
  if (failed(expect_between(*this, {static_cast<int64_t>(getK())}, 0,
                            shape.back().constant().value_or(INT64_MAX), "k")))
    return mlir::failure();
  shape.back() = Extent(static_cast<int64_t>(getK()));
  return expect_sorted(*this, getOperand(), getValues(), getIndices(), shape);
}

std::vector<SizePromise> TopKOp::size_promises() {
  return {{Extent(static_cast<int64_t>(getK())), shape_of(getOperand()).back()}};
}

space::Signature TopKOp::signature() {
  return sign_rows(*this, getOperand(), getValues(), getIndices());
}

double TopKOp::flops_per_point() { return sort_flops(shape_of(getOperand()).back()); }

} // namespace kolam::ir
