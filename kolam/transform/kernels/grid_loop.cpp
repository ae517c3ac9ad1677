// Attributes of loops.
#include "kolam/transform/kernels/grid_loop.h"

#include "mlir/IR/Builders.h"

namespace kolam::transform::kernels {

static constexpr char kGridLoop[] = "grid_loop", kReversedAxis[] = "reversed_axis",
                      kOperandNames[] = "operand_names";

void set_grid_loop(mlir::Operation* loop, const GridLoop& facts) {
  mlir::Builder b(loop->getContext());
  loop->setAttr(kGridLoop, b.getDictionaryAttr(
                               {b.getNamedAttr("bytes", b.getI64IntegerAttr(facts.bytes)),
                                b.getNamedAttr("has_points", b.getBoolAttr(facts.has_points)),
                                b.getNamedAttr("is_parallel", b.getBoolAttr(facts.is_parallel)),
                                b.getNamedAttr("kernel", b.getStringAttr(facts.kernel)),
                                b.getNamedAttr("steps", b.getI64IntegerAttr(facts.steps))}));
}

std::optional<GridLoop> grid_loop(mlir::Operation* loop) {
  auto facts = loop->getAttrOfType<mlir::DictionaryAttr>(kGridLoop);
  if (!facts)
    return std::nullopt;
  auto number = [&](const char* name) { return facts.getAs<mlir::IntegerAttr>(name).getInt(); };
  auto flag = [&](const char* name) { return facts.getAs<mlir::BoolAttr>(name).getValue(); };
  return GridLoop{facts.getAs<mlir::StringAttr>("kernel").str(), number("steps"), number("bytes"),
                  flag("is_parallel"), flag("has_points")};
}

void copy_grid_loop(mlir::Operation* from, mlir::Operation* to) {
  if (mlir::Attribute facts = from->getAttr(kGridLoop))
    to->setAttr(kGridLoop, facts);
}

void set_reversed_axis(mlir::Operation* scan, const std::string& kernel) {
  scan->setAttr(kReversedAxis, mlir::StringAttr::get(scan->getContext(), kernel));
}

std::optional<std::string> reversed_axis(mlir::Operation* scan) {
  auto kernel = scan->getAttrOfType<mlir::StringAttr>(kReversedAxis);
  return kernel ? std::optional(kernel.getValue().str()) : std::nullopt;
}

void drop_reversed_axis(mlir::Operation* scan) { scan->removeAttr(kReversedAxis); }

std::string operand_name(mlir::Operation* op, size_t operand) {
  auto names = op->getAttrOfType<mlir::ArrayAttr>(kOperandNames);
  // Operands may have been taken out.
  return names && names.size() == op->getNumOperands()
             ? llvm::cast<mlir::StringAttr>(names[operand]).getValue().str()
             : "";
}

void name_operand(mlir::OpOperand& operand, const std::string& name) {
  mlir::Operation* op = operand.getOwner();
  llvm::SmallVector<mlir::Attribute> names;
  for (size_t number = 0; number < op->getNumOperands(); ++number)
    names.push_back(mlir::StringAttr::get(
        op->getContext(), number == operand.getOperandNumber() ? name : operand_name(op, number)));
  op->setAttr(kOperandNames, mlir::ArrayAttr::get(op->getContext(), names));
}

} // namespace kolam::transform::kernels
