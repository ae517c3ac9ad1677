// Moves invariants out of loops.
#include "kolam/transform/lists/hoist.h"

#include "kolam/ir/element_loop.h"
#include "kolam/ir/late.h"
#include "kolam/ir/ops.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <set>

namespace kolam::transform::lists {
namespace {

void add_symbols(mlir::TypeRange types, std::set<std::string>& symbols) {
  for (mlir::Type type : types)
    for (const Extent& extent : ir::shape_of(type))
      symbols.merge(extent.symbols());
}

/// The symbols that an op and what it holds use.
std::set<std::string> symbols_of(mlir::Operation* op) {
  std::set<std::string> symbols;
  op->walk([&](mlir::Operation* inner) {
    add_symbols(inner->getOperandTypes(), symbols);
    add_symbols(inner->getResultTypes(), symbols);
    for (mlir::NamedAttribute attr : inner->getAttrs())
      if (auto extents = llvm::dyn_cast<ir::ExtentsAttr>(attr.getValue()))
        for (const Extent& extent : extents.shape())
          symbols.merge(extent.symbols());
    if (auto extent = llvm::dyn_cast<ir::ExtentOp>(inner))
      symbols.merge(Extent::parse(extent.getExpression())->symbols());
  });
  return symbols;
}

/// Computing it again at each turn costs more than keeping it, or it must be in memory anyway.
/// Loops are dear; their facts would ask all that is in them.
bool is_worth_keeping(mlir::Operation* op) {
  return ir::is_loop(op) || ir::facts_of(op).again == ir::Again::dear ||
         llvm::any_of(op->getUsers(), ir::is_loop);
}

/// The arguments of a loop's body that stand for values around it.
template <class Loop> void hoist(Loop loop) {
  mlir::Block& body = loop.getBody().front();
  const size_t captured = loop.getCaptures().size();
  mlir::IRMapping outside;
  for (auto [argument, value] :
       llvm::zip(body.getArguments().take_back(captured), loop.getCaptures()))
    outside.map(argument, value);

  // What turns change: ops by their operands, symbols by their ops.
  llvm::DenseSet<mlir::Operation*> invariant;
  std::set<std::string> bound;
  auto add_late = [&](mlir::Operation* inner) {
    for (const std::string& symbol : ir::late_symbols(inner))
      bound.insert(symbol);
  };
  add_late(loop);
  auto is_outside = [&](mlir::Value value) {
    return outside.contains(value) ||
           (value.getDefiningOp() && invariant.contains(value.getDefiningOp()));
  };
  for (mlir::Operation& op : body.without_terminator()) {
    auto bind = llvm::dyn_cast<ir::BindExtentOp>(op);
    bool is_free = (bind || mlir::isPure(&op)) && llvm::all_of(op.getOperands(), is_outside);
    if (is_free && !bind)
      for (const std::string& symbol : symbols_of(&op))
        is_free &= !bound.contains(symbol);
    if (is_free)
      invariant.insert(&op);
    else
      op.walk([&](mlir::Operation* inner) {
        if (auto bind = llvm::dyn_cast<ir::BindExtentOp>(inner))
          bound.insert(bind.getSymbol().str());
        else
          add_late(inner);
      });
  }

  mlir::OpBuilder b(loop);
  auto copy = [&](auto& copy, mlir::Operation* op) -> void {
    if (op->getNumResults() > 0 && outside.contains(op->getResult(0)))
      return;
    for (mlir::Value operand : op->getOperands())
      if (!outside.contains(operand))
        copy(copy, operand.getDefiningOp());
    b.clone(*op, outside);
  };
  llvm::SmallVector<mlir::Value> kept;
  llvm::SmallVector<mlir::Operation*> sizes;
  for (mlir::Operation& op : body.without_terminator()) {
    if (!invariant.contains(&op))
      continue;
    if (llvm::isa<ir::BindExtentOp>(op)) {
      copy(copy, &op);
      sizes.push_back(&op);
    } else if (is_worth_keeping(&op)) {
      copy(copy, &op);
      llvm::append_range(kept, op.getResults());
    }
  }
  for (mlir::Operation* op : sizes)
    op->erase();
  for (mlir::Value value : kept) {
    mlir::BlockArgument argument = body.addArgument(value.getType(), value.getLoc());
    loop.getCapturesMutable().append(outside.lookup(value));
    value.replaceAllUsesWith(argument);
  }
}

} // namespace

void hoist_invariants(mlir::func::FuncOp function) {
  function.walk<mlir::WalkOrder::PostOrder>([](mlir::Operation* op) {
    llvm::TypeSwitch<mlir::Operation*>(op).Case<ir::ForOp, ir::ScanOp>(
        [](auto loop) { hoist(loop); });
  });
}

} // namespace kolam::transform::lists
