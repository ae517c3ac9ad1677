// Cleans up, with MLIR's passes and the rules.
#include "kolam/rewrite/simplify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "kolam/rewrite/counted_scans.h"
#include "kolam/rewrite/engine.h"
#include "kolam/rewrite/scan_outputs.h"
#include "kolam/support/error.h"
#include "kolam/transform/unread.h"

namespace kolam::rewrite {

std::vector<std::string> simplify(mlir::ModuleOp module, bool has_fma) {
  mlir::PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addPass(mlir::createCSEPass());
  KOLAM_CHECK(mlir::succeeded(passes.run(module)));
  for (auto function : module.getOps<mlir::func::FuncOp>())
    transform::drop_unread(function.getBody().front());
  std::vector<std::string> notes = append_counted_scans(module);
  compute_outputs_behind_scans(module);
  std::vector<Rule> rules = all_rules();
  std::erase_if(rules, [&](const Rule& rule) { return rule.needs_fma && !has_fma; });
  apply_rules(module, rules);
  return notes;
}

} // namespace kolam::rewrite
