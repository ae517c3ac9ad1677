// kolam.reverse: reverses the order of elements along dimensions.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult ReverseOp::verify() {
  if (failed(expect_dims(*this, getDims(), rank_of(getOperand()), DimOrder::increasing)))
    return mlir::failure();
  return expect_type_of(*this, getResult(), getOperand(), "the result");
}

space::Signature ReverseOp::signature() {
  std::vector<int> dims(getDims().begin(), getDims().end());
  return over_result(
      *this, {read("operand", getOperand(), space::reversed(shape_of(getOperand()), dims))});
}

} // namespace kolam::ir
