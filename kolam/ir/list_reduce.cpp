// kolam.list_reduce: the elements of lists combined by an associative body.
#include "kolam/ir/list_expectations.h"
#include "kolam/ir/ops.h"

namespace kolam::ir {

llvm::LogicalResult ListReduceOp::verify() {
  if (failed(expect_at_least(*this, getLists().size(), 1, "lists")) ||
      failed(expect_count(*this, getResults().size(), getLists().size(), "results")))
    return mlir::failure();
  if (!getInits().empty() &&
      failed(expect_count(*this, getInits().size(), getLists().size(), "initial states")))
    return mlir::failure();
  for (auto [number, list] : llvm::enumerate(getLists()))
    if (failed(expect_type(*this, getResults()[number], element_of(list),
                           "result " + llvm::Twine(number))) ||
        (!getInits().empty() && failed(expect_type(*this, getInits()[number], element_of(list),
                                                   "initial state " + llvm::Twine(number)))))
      return mlir::failure();
  return mlir::success();
}

llvm::LogicalResult ListReduceOp::verifyRegions() {
  llvm::SmallVector<mlir::Type> arguments(getResultTypes());
  llvm::append_range(arguments, getResultTypes());
  llvm::append_range(arguments, getCaptures().getTypes());
  if (failed(expect_arguments(*this, getBody(), arguments, "the body")))
    return mlir::failure();
  return expect_yields(*this, getBody(), getResultTypes(), "the body");
}

space::Signature ListReduceOp::signature() { return opaque_signature(*this); }

} // namespace kolam::ir
