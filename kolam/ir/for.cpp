// kolam.for: a counted loop that carries a state.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult ForOp::verify() {
  auto is_counter = [](DType dtype) { return dtype == DType::i32 || dtype == DType::i64; };
  if (failed(
          expect_dtype(*this, getLower(), is_counter, "dtype int32 or int64", "the lower bound")) ||
      failed(expect_type_of(*this, getUpper(), getLower(), "the upper bound")) ||
      failed(expect_count(*this, getResults().size(), getInits().size(), "results")))
    return mlir::failure();
  for (auto [number, result] : llvm::enumerate(getResults()))
    if (failed(expect_type_of(*this, result, getInits()[number], "result " + llvm::Twine(number))))
      return mlir::failure();
  return mlir::success();
}

llvm::LogicalResult ForOp::verifyRegions() {
  llvm::SmallVector<mlir::Type> arguments{getLower().getType()};
  llvm::append_range(arguments, getInits().getTypes());
  llvm::append_range(arguments, getCaptures().getTypes());
  if (failed(expect_arguments(*this, getBody(), arguments, "the body")))
    return mlir::failure();
  return expect_yields(*this, getBody(), getInits().getTypes(), "the body");
}

space::Signature ForOp::signature() { return opaque_signature(*this); }

} // namespace kolam::ir
