// kolam.composite: a part of a program that transformations know by its name.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult CompositeOp::verify() {
  if (getName().empty())
    return emitOpError("expected a name, but got ''");
  return mlir::success();
}

llvm::LogicalResult CompositeOp::verifyRegions() {
  if (failed(expect_arguments(*this, getBody(), getOperands().getTypes(), "the body")) ||
      failed(expect_yields(*this, getBody(), getResultTypes(), "the body")))
    return mlir::failure();
  for (auto [number, rule] : llvm::enumerate(getRules())) {
    const size_t arguments = rule.getNumArguments(), operands = getOperands().size();
    std::string what = "rule " + std::to_string(number);
    if (failed(expect_at_least(*this, static_cast<int64_t>(arguments),
                               static_cast<int64_t>(operands), "arguments of " + what)))
      return mlir::failure();
    mlir::TypeRange own = mlir::TypeRange(rule.getArgumentTypes()).drop_back(operands);
    llvm::SmallVector<mlir::Type> types(own.begin(), own.end());
    llvm::append_range(types, getOperands().getTypes());
    if (failed(expect_arguments(*this, rule, types, what)))
      return mlir::failure();
  }
  return mlir::success();
}

space::Signature CompositeOp::signature() { return opaque_signature(*this); }

} // namespace kolam::ir
