// kolam.iter_index: the coordinate along a dimension of the iteration space.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult IterIndexOp::verify() {
  auto parent = (*this)->getParentOfType<ZipMapReduceOp>();
  if ((*this)->getParentRegion() != &parent.getBody())
    return emitOpError("expected to be in the body, but got into a region of the monoid");
  int64_t rank = static_cast<int64_t>(parent.getSpace().getDims().size());
  if (failed(expect_dims(*this, {static_cast<int64_t>(getDim())}, rank, DimOrder::any, "dim")))
    return mlir::failure();
  auto is_number = [](DType dtype) { return dtype != DType::boolean; };
  return expect_dtype(*this, getResult(), is_number, "a dtype of numbers", "the result");
}

space::Signature IterIndexOp::signature() { return over_result(*this, {}); }

} // namespace kolam::ir
