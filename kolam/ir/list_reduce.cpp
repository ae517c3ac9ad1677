// kolam.list_reduce: the elements of lists combined by an associative body.
#include "kolam/ir/list_expectations.h"
#include "kolam/ir/ops.h"

namespace kolam::ir {

llvm::LogicalResult ListReduceOp::verify() {
  if (failed(expect_at_least(*this, getLists().size(), 1, "lists")) ||
      failed(expect_count(*this, getInits().size(), getLists().size(), "initial states")) ||
      failed(expect_count(*this, getResults().size(), getLists().size(), "results")))
    return mlir::failure();
  for (auto [number, init] : llvm::enumerate(getInits()))
    if (failed(expect_type(*this, getResults()[number], init.getType(),
                           "result " + llvm::Twine(number))) ||
        failed(expect_type(*this, getLists()[number], list_of(init.getType()),
                           "list " + llvm::Twine(number))))
      return mlir::failure();
  return mlir::success();
}

llvm::LogicalResult ListReduceOp::verifyRegions() {
  llvm::SmallVector<mlir::Type> arguments(getInits().getTypes());
  llvm::append_range(arguments, getInits().getTypes());
  llvm::append_range(arguments, getCaptures().getTypes());
  if (failed(expect_arguments(*this, getBody(), arguments, "the body")))
    return mlir::failure();
  return expect_yields(*this, getBody(), getInits().getTypes(), "the body");
}

space::Signature ListReduceOp::signature() { return opaque_signature(*this); }

} // namespace kolam::ir
