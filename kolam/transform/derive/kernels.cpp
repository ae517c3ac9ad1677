// Kernels over blocks: through the ops on arrays that they become.
#include "kolam/transform/kernels.h"

#include "kolam/language/region.h"
#include "kolam/transform/custom_partitioning.h"
#include "kolam/transform/derive/rules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kolam::transform::derive {
namespace {

/// A program of the call alone, which has become ops on arrays.
mlir::OwningOpRef<mlir::ModuleOp> as_arrays(ir::KernelCallOp op) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(op.getLoc());
  auto b = mlir::OpBuilder::atBlockEnd(module->getBody());
  auto main = mlir::func::FuncOp::create(
      b, op.getLoc(), "main", b.getFunctionType(op->getOperandTypes(), op->getResultTypes()));
  mlir::Block* block = main.addEntryBlock();
  b.setInsertionPointToEnd(block);
  mlir::Operation* call = b.clone(*op);
  call->setOperands(block->getArguments());
  mlir::func::ReturnOp::create(b, op.getLoc(), call->getResults());
  take_bodies(*module, Composites::none);
  kernels_to_values(*module);
  return module;
}

} // namespace

void linearise_whole(ir::KernelCallOp op, Linearisation& at) {
  mlir::OwningOpRef<mlir::ModuleOp> module = as_arrays(op);
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  linearise_as(op, at, true, [&](Builder& b, const Values& operands) {
    return language::inlined(b, main.getBody(), operands);
  });
}

} // namespace kolam::transform::derive
