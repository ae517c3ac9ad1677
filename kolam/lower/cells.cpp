// Finds the emitter of an op.
#include "kolam/lower/ops.h"
#include "kolam/support/error.h"

#include "llvm/ADT/TypeSwitch.h"

namespace kolam::lower {

Values emit_cells(mlir::Operation* op, ValueSpan index, Emission& emission) {
  return llvm::TypeSwitch<mlir::Operation*, Values>(op)
      .Case<ir::BroadcastOp, ir::ConstantOp, ir::ContractOp, ir::ElementwiseOp,
            ir::IterIndexOp, ir::ReduceOp, ir::ZipMapReduceOp>(
          [&](auto typed) { return emit_cells(typed, index, emission); })
      .Default([](mlir::Operation* other) -> Values {
        fail(ErrorKind::internal, "internal",
             "no cells are emitted for " + other->getName().getStringRef().str());
      });
}

bool emit_whole(mlir::Operation* op, Emission& emission) {
  return llvm::TypeSwitch<mlir::Operation*, bool>(op)
      .Case<ir::CumulativeOp>([&](auto typed) {
        emit_whole(typed, emission);
        return true;
      })
      .Default([](mlir::Operation*) { return false; });
}

} // namespace kolam::lower
