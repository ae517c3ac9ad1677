// Runs MLIR's own clean-up.
#include "kolam/rewrite/simplify.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "kolam/support/error.h"

namespace kolam::rewrite {

void simplify(mlir::ModuleOp module) {
  mlir::PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addPass(mlir::createInlinerPass());
  passes.addPass(mlir::createCSEPass());
  passes.addPass(mlir::createRemoveDeadValuesPass());
  KOLAM_CHECK(mlir::succeeded(passes.run(module)));
}

} // namespace kolam::rewrite
