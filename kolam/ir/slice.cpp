// kolam.slice: a strided box of the operand.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult SliceOp::verify() {
  Shape from = shape_of(getOperand()), to = shape_of(getResult()), starts = getStarts().shape();
  if (failed(expect_dtype(*this, getResult(), dtype_of(getOperand()), "the result")) ||
      failed(expect_rank(*this, getResult(), from.size(), "the result")) ||
      failed(expect_count(*this, starts.size(), from.size(), "starts")) ||
      failed(expect_count(*this, getSteps().size(), from.size(), "steps")) ||
      failed(expect_between(*this, getSteps(), 1, INT64_MAX, "steps")))
    return mlir::failure();
  return without_overflow(*this, [&]() -> llvm::LogicalResult {
    for (size_t dim = 0; dim < from.size(); ++dim) {
      if (to[dim] == Extent(0))
        continue;
      Extent last = starts[dim] + Extent(getSteps()[dim]) * (to[dim] - 1);
      if (starts[dim].constant().value_or(0) < 0 || (from[dim] - last).constant().value_or(1) < 1)
        return emitOpError("expected elements inside extent ")
               << from[dim].to_string() << " of dim " << dim << ", but got "
               << starts[dim].to_string() << " to " << last.to_string();
    }
    return mlir::success();
  });
}

space::Signature SliceOp::signature() {
  return over_result(
      *this, {read("operand", getOperand(),
                   space::strided({getSteps().begin(), getSteps().end()}, getStarts().shape()))});
}

} // namespace kolam::ir
