// One kernel of a program that is still being made.
#include "kolam/language/region.h"
#include "kolam/transform/custom_partitioning.h"
#include "kolam/transform/kernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kolam::transform {

language::Values kernel_on_arrays(language::Builder& builder, ir::KernelCallOp op,
                                  const language::Values& operands, KernelUse use) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(op.getLoc());
  auto b = mlir::OpBuilder::atBlockEnd(module->getBody());
  auto main = mlir::func::FuncOp::create(
      b, op.getLoc(), "main", b.getFunctionType(op->getOperandTypes(), op->getResultTypes()));
  mlir::Block* block = main.addEntryBlock();
  b.setInsertionPointToEnd(block);
  mlir::Operation* call = b.clone(*op);
  call->setOperands(block->getArguments());
  mlir::func::ReturnOp::create(b, op.getLoc(), call->getResults());
  take_bodies(*module, use == KernelUse::run ? Composites::checks : Composites::of_values);
  kernels_to_values(*module, use);
  return language::inlined(builder, main.getBody(), operands);
}

} // namespace kolam::transform
