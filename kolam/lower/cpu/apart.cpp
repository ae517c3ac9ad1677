// Marks loads and stores with alias scopes of LLVM.
#include "kolam/lower/cpu/apart.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kolam::lower::cpu {
namespace {

/// What an address is counted from.
Value base_of(Value address) {
  while (auto step = address.getDefiningOp<mlir::LLVM::GEPOp>())
    address = step.getBase();
  return address;
}

} // namespace

void tell_apart(mlir::func::FuncOp function, ValueSpan pointers, llvm::ArrayRef<int> groups) {
  mlir::MLIRContext* context = function.getContext();
  auto named = [&](const llvm::Twine& name) { return mlir::StringAttr::get(context, name); };
  auto domain = mlir::LLVM::AliasScopeDomainAttr::get(context, named("memory"), {});
  llvm::DenseMap<Value, int> group_of;
  std::vector<mlir::Attribute> scopes;
  for (auto [pointer, group] : llvm::zip_equal(pointers, groups)) {
    group_of[pointer] = group;
    for (auto next = static_cast<int>(scopes.size()); next <= group; ++next)
      scopes.push_back(mlir::LLVM::AliasScopeAttr::get(context, named("memory" + llvm::Twine(next)),
                                                       domain, {}));
  }
  auto mark = [&](auto access) {
    auto found = group_of.find(base_of(access.getAddr()));
    if (found == group_of.end())
      return;
    llvm::SmallVector<mlir::Attribute> others(scopes.begin(), scopes.end());
    others.erase(others.begin() + found->second);
    access.setAliasScopesAttr(mlir::ArrayAttr::get(context, scopes[found->second]));
    access.setNoaliasScopesAttr(mlir::ArrayAttr::get(context, others));
  };
  function->setAttr("passthrough", mlir::ArrayAttr::get(context, named(kCarriesMemory)));
  function.walk([&](mlir::Operation* op) {
    if (auto load = llvm::dyn_cast<mlir::LLVM::LoadOp>(op))
      mark(load);
    else if (auto store = llvm::dyn_cast<mlir::LLVM::StoreOp>(op))
      mark(store);
  });
}

} // namespace kolam::lower::cpu
