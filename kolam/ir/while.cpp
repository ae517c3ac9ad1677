// kolam.while: a loop that runs while a condition on its state holds.
#include "kolam/ir/expectations.h"
#include "kolam/ir/late.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/pointwise.h"

namespace kolam::ir {

llvm::LogicalResult WhileOp::verify() {
  if (failed(expect_count(*this, getResults().size(), getInits().size(), "results")) ||
      failed(expect_late(*this)))
    return mlir::failure();
  return expect_carried(*this, getInits());
}

llvm::LogicalResult WhileOp::verifyRegions() {
  llvm::SmallVector<mlir::Type> arguments(getResultTypes());
  llvm::append_range(arguments, getCaptures().getTypes());
  mlir::Type boolean = tensor_type(getContext(), DType::boolean, {});
  if (failed(expect_arguments(*this, getCondition(), arguments, "the condition")) ||
      failed(expect_yields(*this, getCondition(), boolean, "the condition")) ||
      failed(expect_arguments(*this, getBody(), arguments, "the body")))
    return mlir::failure();
  return expect_late_yields(*this, getBody(), "the body");
}

space::Signature WhileOp::signature() { return pointwise_signature(*this); }

} // namespace kolam::ir
