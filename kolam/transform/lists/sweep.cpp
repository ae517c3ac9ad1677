// Clears up behind the conversion of lists.
#include "kolam/transform/lists/sweep.h"

#include "kolam/ir/ops.h"
#include "kolam/support/error.h"
#include "kolam/transform/lists/hoist.h"
#include "kolam/transform/lists/rename.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <set>

namespace kolam::transform::lists {
namespace {

using Ops = llvm::SmallPtrSet<mlir::Operation*, 8>;

/// The symbols that anything but the ops that bind them uses; results of `unread` are no use.
std::set<std::string> used_symbols(mlir::func::FuncOp function, const Ops& unread = {}) {
  std::set<std::string> symbols;
  auto add_type = [&](mlir::Type type) {
    auto list = llvm::dyn_cast<ir::ListType>(type);
    for (const Extent& extent : ir::shape_of(list ? mlir::Type(list.leaf()) : type))
      symbols.merge(extent.symbols());
  };
  auto add_shape = [&](const Shape& shape) {
    for (const Extent& extent : shape)
      symbols.merge(extent.symbols());
  };
  function.walk([&](mlir::Operation* op) {
    if (auto extent = llvm::dyn_cast<ir::ExtentOp>(op))
      symbols.merge(Extent::parse(extent.getExpression())->symbols());
    if (!unread.contains(op))
      llvm::for_each(op->getResultTypes(), add_type);
    for (mlir::NamedAttribute attr : op->getAttrs())
      if (auto extents = llvm::dyn_cast<ir::ExtentsAttr>(attr.getValue()))
        add_shape(extents.shape());
    for (mlir::Region& region : op->getRegions())
      llvm::for_each(region.getArgumentTypes(), add_type);
  });
  return symbols;
}

bool drop_dead_ops(mlir::func::FuncOp function) {
  bool changed = false;
  function.walk<mlir::WalkOrder::PostOrder, mlir::ReverseIterator>([&](mlir::Operation* op) {
    if (op != function && mlir::isOpTriviallyDead(op)) {
      op->erase();
      changed = true;
    }
  });
  return changed;
}

bool drop_unused_symbols(mlir::func::FuncOp function) {
  std::set<std::string> used = used_symbols(function);
  llvm::SmallVector<mlir::Operation*> dead;
  function.walk([&](ir::BindExtentOp op) {
    if (!used.contains(op.getSymbol().str()))
      dead.push_back(op);
  });
  for (mlir::Operation* op : dead)
    op->erase();
  return !dead.empty();
}

void drop_unused(mlir::func::FuncOp function) {
  bool changed = true;
  while (changed) {
    changed = drop_dead_ops(function);
    changed |= drop_unused_symbols(function);
  }
}

/// Equal ops become one.
void merge_equal(mlir::func::FuncOp function) {
  mlir::IRRewriter rewriter(function.getContext());
  mlir::DominanceInfo dominance(function);
  mlir::eliminateCommonSubExpressions(rewriter, dominance, function);
}

/// The symbol that is the size bound, where there is one.
std::optional<std::string> symbol_of(ir::BindExtentOp bind) {
  auto extent = bind.getSize().getDefiningOp<ir::ExtentOp>();
  return extent ? Extent::parse(extent.getExpression())->as_symbol() : std::nullopt;
}

/// Symbols that one block binds to one value, or to another symbol, become one, but for those that
/// the program shows.
bool merge_symbols(mlir::func::FuncOp function) {
  std::set<std::string> shown;
  for (mlir::Type type : function.getFunctionType().getResults())
    for (const Extent& extent : ir::shape_of(type))
      shown.merge(extent.symbols());
  Names names;
  llvm::SmallVector<mlir::Operation*> again;
  function.walk([&](mlir::Block* block) {
    llvm::DenseMap<mlir::Value, std::string> first;
    for (auto bind : block->getOps<ir::BindExtentOp>()) {
      std::string symbol = bind.getSymbol().str();
      auto found = first.try_emplace(bind.getSize(), symbol_of(bind).value_or(symbol)).first;
      if (found->second == symbol || shown.contains(symbol))
        continue;
      names.emplace(symbol, Extent::symbol(found->second));
      again.push_back(bind);
    }
  });
  for (mlir::Operation* op : again)
    op->erase();
  if (names.empty())
    return false;
  for (auto& [symbol, name] : names) // one that became another may be what others became
    for (auto next = names.find(*name.as_symbol()); next != names.end();
         next = names.find(*name.as_symbol()))
      name = next->second;
  rename(function.getBody(), names);
  function.walk([](ir::ReshapeOp reshape) { // they stood between the names
    if (reshape.getType() != reshape.getOperand().getType())
      return;
    reshape.replaceAllUsesWith(reshape.getOperand());
    reshape.erase();
  });
  return true;
}

/// Sizes that others say are bound right behind those: memory that is not there is refused before
/// any of it is written. What may fail stays in front.
void bind_early(mlir::func::FuncOp function) {
  for (auto bind :
       llvm::make_early_inc_range(function.getBody().front().getOps<ir::BindExtentOp>())) {
    auto extent = bind.getSize().getDefiningOp<ir::ExtentOp>();
    if (!extent || !extent->hasOneUse() || extent->getBlock() != bind->getBlock())
      continue;
    mlir::Operation* behind = extent->getPrevNode();
    while (behind && mlir::isPure(behind) && behind->getNumRegions() == 0)
      behind = behind->getPrevNode();
    if (behind)
      extent->moveAfter(behind);
    else
      extent->moveBefore(&bind->getBlock()->front());
    bind->moveAfter(extent);
  }
}

/// A symbol is bound by one op: of two values with one name one would have the other's size.
void check_symbols(mlir::func::FuncOp function) {
  std::set<std::string> bound;
  function.walk(
      [&](ir::BindExtentOp bind) { KOLAM_CHECK(bound.insert(bind.getSymbol().str()).second); });
}

} // namespace

void drop_unread(mlir::func::FuncOp function) {
  Ops unread;
  function.walk([&](ir::UnpackOp op) {
    if (op.use_empty())
      unread.insert(op);
  });
  std::set<std::string> used = used_symbols(function, unread);
  for (mlir::Operation* op : unread)
    if (llvm::none_of(llvm::cast<ir::UnpackOp>(op).getSymbols(), [&](mlir::Attribute symbol) {
          return used.contains(llvm::cast<mlir::StringAttr>(symbol).getValue().str());
        }))
      op->erase();
}

void sweep(mlir::func::FuncOp function) {
  check_symbols(function);
  drop_unused(function);
  do
    merge_equal(function);
  while (merge_symbols(function));
  hoist_invariants(function);
  merge_equal(function);
  drop_unused(function);
  bind_early(function);
}

} // namespace kolam::transform::lists
