// Takes pins and notes of kept dims out of programs.
#include "kolam/transform/layout_notes.h"

#include "kolam/ir/ops.h"

namespace kolam::transform {

void drop_layout_notes(mlir::ModuleOp module) {
  module.walk([](mlir::Operation* op) {
    if (auto expand = llvm::dyn_cast<ir::ExpandDimsOp>(op)) {
      expand.setKeepsDims(false);
    } else if (auto pin = llvm::dyn_cast<ir::PinOp>(op)) {
      pin.getResult().replaceAllUsesWith(pin.getOperand());
      pin.erase();
    }
  });
}

} // namespace kolam::transform
