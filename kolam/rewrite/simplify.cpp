// Cleans up, with MLIR's passes and the rules.
#include "kolam/rewrite/simplify.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "kolam/rewrite/counted_scans.h"
#include "kolam/rewrite/engine.h"
#include "kolam/rewrite/unread.h"
#include "kolam/support/error.h"

namespace kolam::rewrite {

void simplify(mlir::ModuleOp module) {
  mlir::PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addPass(mlir::createCSEPass());
  KOLAM_CHECK(mlir::succeeded(passes.run(module)));
  drop_unread(module);
  append_counted_scans(module);
  apply_rules(module, all_rules());
}

} // namespace kolam::rewrite
