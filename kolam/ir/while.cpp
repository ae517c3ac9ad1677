// kolam.while: a loop that runs while a condition on its state holds.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult WhileOp::verify() {
  if (failed(expect_count(*this, getResults().size(), getInits().size(), "results")))
    return mlir::failure();
  for (auto [number, result] : llvm::enumerate(getResults()))
    if (failed(expect_type_of(*this, result, getInits()[number], "result " + llvm::Twine(number))))
      return mlir::failure();
  return mlir::success();
}

llvm::LogicalResult WhileOp::verifyRegions() {
  llvm::SmallVector<mlir::Type> arguments(getInits().getTypes());
  llvm::append_range(arguments, getCaptures().getTypes());
  mlir::Type boolean = tensor_type(getContext(), DType::boolean, {});
  if (failed(expect_arguments(*this, getCondition(), arguments, "the condition")) ||
      failed(expect_yields(*this, getCondition(), boolean, "the condition")) ||
      failed(expect_arguments(*this, getBody(), arguments, "the body")))
    return mlir::failure();
  return expect_yields(*this, getBody(), getInits().getTypes(), "the body");
}

space::Signature WhileOp::signature() { return opaque_signature(*this); }

} // namespace kolam::ir
