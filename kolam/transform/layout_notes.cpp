// Takes pins and notes of kept dims out of programs.
#include "kolam/transform/layout_notes.h"

#include "kolam/ir/ops.h"
#include "kolam/transform/kernels.h"
#include "kolam/transform/lists.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kolam::transform {

static void drop_notes(mlir::ModuleOp module, llvm::function_ref<bool(ir::PinOp)> stays) {
  module.walk([&](mlir::Operation* op) {
    if (auto expand = llvm::dyn_cast<ir::ExpandDimsOp>(op)) {
      expand.setKeepsDims(false);
    } else if (auto pin = llvm::dyn_cast<ir::PinOp>(op); pin && !stays(pin)) {
      pin.getResult().replaceAllUsesWith(pin.getOperand());
      pin.erase();
    }
  });
}

void drop_layout_notes(mlir::ModuleOp module) {
  drop_notes(module, [](ir::PinOp) { return false; });
}

void keep_binding_pins(mlir::ModuleOp module) {
  if (has_lists(module) || has_kernels(module))
    return drop_layout_notes(module);
  auto binds = [](ir::PinOp pin) {
    mlir::Operation* around = pin->getParentOp();
    while (!llvm::isa<mlir::func::FuncOp>(around) &&
           ir::facts_of(around).bodies != ir::Bodies::of_elements)
      around = around->getParentOp();
    return llvm::isa<mlir::func::FuncOp>(around);
  };
  drop_notes(module, binds);
}

} // namespace kolam::transform
