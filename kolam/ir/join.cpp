// kolam.join: lists of one type, one after the other.
#include "kolam/ir/list_expectations.h"
#include "kolam/ir/ops.h"

namespace kolam::ir {

llvm::LogicalResult JoinOp::verify() {
  if (failed(expect_at_least(*this, getLists().size(), 1, "lists")))
    return mlir::failure();
  for (auto [number, list] : llvm::enumerate(getLists()))
    if (failed(expect_type(*this, list, getResult().getType(), "list " + llvm::Twine(number))))
      return mlir::failure();
  return mlir::success();
}

space::Signature JoinOp::signature() { return opaque_signature(*this); }

} // namespace kolam::ir
