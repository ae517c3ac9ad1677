// Marks are texts of fused locations. Notes (ir/location.h) stay outside them.
#include "kolam/transform/line_marks.h"

#include "kolam/ir/op_name.h"
#include "kolam/ir/ops.h"

#include "mlir/IR/Builders.h"

namespace kolam::transform {
namespace {

constexpr llvm::StringLiteral kCaught = "caught: ";

mlir::Location marked(mlir::Location line, mlir::StringAttr mark) {
  if (auto named = llvm::dyn_cast<mlir::NameLoc>(line))
    return mlir::NameLoc::get(named.getName(), marked(named.getChildLoc(), mark));
  return mlir::FusedLoc::get({line}, mark, line.getContext());
}

/// The mark made last; empty where there is none.
llvm::StringRef mark_of(mlir::Location line) {
  if (auto named = llvm::dyn_cast<mlir::NameLoc>(line))
    return mark_of(named.getChildLoc());
  auto fused = llvm::dyn_cast<mlir::FusedLoc>(line);
  auto mark = fused ? llvm::dyn_cast_if_present<mlir::StringAttr>(fused.getMetadata()) : nullptr;
  return mark ? mark.getValue() : llvm::StringRef();
}

} // namespace

bool is_in_derivative(mlir::Operation* op) {
  const llvm::StringRef mark = mark_of(op->getLoc());
  return !mark.empty() && !mark.starts_with(kCaught);
}

mlir::Location in_derivative_of(mlir::Operation* op) {
  if (is_in_derivative(op))
    return op->getLoc(); // of the function's own op
  auto composite = llvm::dyn_cast<ir::CompositeOp>(op);
  const std::string name = composite ? composite.getName().str() : ir::user_name(op);
  return marked(op->getLoc(), mlir::StringAttr::get(op->getContext(), name));
}

std::string differentiated(mlir::Operation* op) {
  return is_in_derivative(op) ? mark_of(op->getLoc()).str() : ir::user_name(op);
}

std::string place_of(mlir::Operation* op) {
  return (is_in_derivative(op) ? "in the derivative of " : "") + differentiated(op);
}

void mark_caught(mlir::Operation* op, const Checks& kinds) {
  std::string text = kCaught.str();
  text += kinds.bounds ? "bounds " : "";
  text += kinds.nan ? "nan " : "";
  text += kinds.overflow ? "overflow " : "";
  auto mark = mlir::StringAttr::get(op->getContext(), text);
  op->walk([&](mlir::Operation* inner) { inner->setLoc(marked(inner->getLoc(), mark)); });
}

Checks uncaught(mlir::Location line, Checks checks) {
  const llvm::StringRef mark = mark_of(line);
  if (!mark.starts_with(kCaught))
    return checks;
  checks.bounds = checks.bounds && !mark.contains("bounds");
  checks.nan = checks.nan && !mark.contains("nan");
  checks.overflow = checks.overflow && !mark.contains("overflow");
  return checks;
}

} // namespace kolam::transform
