// Writes names, with the bodies that ops stand in.
#include "kolam/driver/op_names.h"

#include "kolam/driver/explain.h"
#include "kolam/ir/location.h"
#include "kolam/support/short_location.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kolam::driver {

std::string OpNames::of(mlir::Operation* op) {
  std::string own = name(op), line = line_of(op);
  return path(op) + own + (own.empty() ? "" : " ") + label_of(op) +
         (line.empty() ? "" : " (" + line + ")");
}

/// The ops around, with the number of the region where there are several.
std::string OpNames::path(mlir::Operation* op) {
  mlir::Operation* parent = op->getParentOp();
  if (llvm::isa<mlir::func::FuncOp>(parent))
    return "";
  std::string own = name(parent);
  std::string text = path(parent) + (own.empty() ? label_of(parent) : own);
  if (parent->getNumRegions() > 1)
    text += "." + std::to_string(op->getParentRegion()->getRegionNumber());
  return text + "/";
}

std::string OpNames::name(mlir::Operation* op) {
  if (op->getNumResults() == 0)
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->getResult(0).printAsOperand(stream, state_);
  return text.substr(0, text.find('#'));
}

std::string line_of(mlir::Operation* op) {
  return short_location(ir::to_source_location(op->getLoc()));
}

} // namespace kolam::driver
