// kolam-opt: parses programs, runs passes on them and prints them.
#include "kolam/ir/ops.h"
#include "kolam/rewrite/simplify.h"
#include "kolam/support/error.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

namespace kolam {
namespace {

/// --kolam-simplify: rewrite/simplify.h.
struct SimplifyPass : mlir::PassWrapper<SimplifyPass, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SimplifyPass)
  llvm::StringRef getArgument() const override { return "kolam-simplify"; }
  llvm::StringRef getDescription() const override {
    return "apply the rules, remove dead and repeated ops";
  }
  void runOnOperation() override {
    try {
      rewrite::simplify(getOperation());
    } catch (const Error& error) {
      getOperation().emitError(error.what());
      signalPassFailure();
    }
  }
};

/// --kolam-print-signatures: the signature of every op, and what is wrong with it.
struct PrintSignaturesPass : mlir::PassWrapper<PrintSignaturesPass, mlir::OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintSignaturesPass)
  llvm::StringRef getArgument() const override { return "kolam-print-signatures"; }
  llvm::StringRef getDescription() const override { return "print the signature of every op"; }
  void runOnOperation() override {
    getOperation()->walk([](ir::SignedOp op) {
      space::Signature signature = op.signature();
      llvm::outs() << space::to_string(signature);
      if (double flops = op.flops_per_point(); flops != 0)
        llvm::outs() << "  flops " << flops << "\n";
      llvm::outs() << space::to_string(space::validate(signature));
    });
  }
};

} // namespace
} // namespace kolam

int main(int argc, char** argv) {
  mlir::DialectRegistry registry;
  registry.insert<kolam::ir::KolamDialect, mlir::func::FuncDialect>();
  mlir::PassRegistration<kolam::SimplifyPass>();
  mlir::PassRegistration<kolam::PrintSignaturesPass>();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Kolam's pass driver\n", registry));
}
