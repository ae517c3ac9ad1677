// kolam.ref_slice: the elements of a box, with steps.
#include "kolam/ir/expectations.h"
#include "kolam/ir/kernels.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult RefSliceOp::verify() {
  auto rank = value_type(getRef()).getRank();
  if (failed(expect_count(*this, getStarts().size(), rank, "starts")) ||
      failed(expect_count(*this, getSteps().size(), rank, "steps")) ||
      failed(expect_integers(*this, getStarts(), "starts")) ||
      failed(expect_count(*this, value_type(getResult()).getRank(), rank, "dims of the result")))
    return mlir::failure();
  return expect_view(*this, getResult(), getRef(), shape_of(value_type(getResult())));
}

space::Signature RefSliceOp::signature() { return opaque_signature(*this); }

} // namespace kolam::ir
