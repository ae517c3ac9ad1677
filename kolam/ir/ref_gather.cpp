// kolam.ref_gather: the elements at places given by data.
#include "kolam/ir/expectations.h"
#include "kolam/ir/kernels.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult RefGatherOp::verify() {
  Shape from = shape_of(value_type(getRef())), indices = shape_of(getIndices());
  if (failed(
          expect_dims(*this, getDims(), static_cast<int64_t>(from.size()), DimOrder::increasing)) ||
      failed(expect_dtype(*this, getIndices(), is_integer, "an integer dtype", "the indices")) ||
      failed(
          expect_at_least(*this, static_cast<int64_t>(indices.size()), 1, "dims of the indices")))
    return mlir::failure();
  if (!(indices.back() == Extent(static_cast<int64_t>(getDims().size()))))
    return emitOpError() << "expected indices for " << getDims().size()
                         << " dims, but got indices of shape " << to_string(indices);
  Shape shape(indices.begin(), indices.end() - 1);
  for (size_t dim = 0; dim < from.size(); ++dim)
    if (!llvm::is_contained(getDims(), static_cast<int64_t>(dim)))
      shape.push_back(from[dim]);
  return expect_view(*this, getResult(), getRef(), shape);
}

space::Signature RefGatherOp::signature() { return opaque_signature(*this); }

} // namespace kolam::ir
