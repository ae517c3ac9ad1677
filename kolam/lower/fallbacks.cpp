// Looks for gathers and calls.
#include "kolam/lower/fallbacks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <set>

namespace kolam::lower {

std::vector<std::string> fallbacks_of(mlir::ModuleOp nest) {
  bool gathers = false;
  std::set<std::string> callees;
  nest.walk([&](mlir::Operation* op) {
    gathers |= llvm::isa<mlir::LLVM::masked_gather>(op);
    if (auto call = llvm::dyn_cast<mlir::func::CallOp>(op))
      callees.insert(call.getCallee().str());
  });
  nest.walk([&](mlir::func::FuncOp function) { // of the nest's own, whose calls count by themselves
    if (!function.isExternal())
      callees.erase(function.getName().str());
  });
  std::vector<std::string> texts;
  if (gathers)
    texts.emplace_back("gathers lanes");
  for (const std::string& callee : callees)
    texts.push_back("calls " + callee);
  return texts;
}

} // namespace kolam::lower
