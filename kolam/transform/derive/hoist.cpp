// Moves what depends on captures alone out of loops.
#include "kolam/transform/derive/hoist.h"

#include "kolam/ir/facts.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/visit.h"
#include "kolam/transform/lists/rename.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kolam::transform::derive {
namespace {

bool is_loop(mlir::Operation* op) {
  const ir::Facts facts = ir::facts_of(op);
  return facts.runs != ir::Runs::kernels &&
         (facts.bodies == ir::Bodies::in_turn || facts.bodies == ir::Bodies::of_lists);
}

/// What a loop captures: the last arguments of each of its bodies.
mlir::ValueRange captures_of(mlir::Operation* loop) {
  return ir::visit<mlir::ValueRange>(
      loop,
      [](auto typed) -> mlir::ValueRange {
        if constexpr (requires { typed.getCaptures(); })
          return typed.getCaptures();
        else
          return {};
      },
      [](mlir::Operation*) { return mlir::ValueRange(); });
}

/// The argument of `body` that stands for one more capture.
Value add_capture(mlir::Operation* loop, mlir::Region& body, Value value) {
  ir::visit<void>(
      loop,
      [&](auto typed) {
        if constexpr (requires { typed.getCapturesMutable().append(mlir::ValueRange()); })
          typed.getCapturesMutable().append(value);
      },
      [](mlir::Operation*) {});
  for (mlir::Region& region : loop->getRegions())
    region.addArgument(value.getType(), value.getLoc());
  return body.front().getArguments().back();
}

/// Whether an op gives elements of its operand, each once at most, or casts them.
bool is_view(mlir::Operation* op) {
  if (llvm::isa<ir::BroadcastOp, ir::ViewOp>(op)) // these repeat elements
    return false;
  const ir::View view = ir::facts_of(op).view;
  return view == ir::View::by_map || llvm::isa<ir::DynamicSliceOp, ir::CastOp>(op);
}

/// Whether it is one of the numbers that say where a window begins.
bool is_place(mlir::Operation* op) {
  return op->getNumRegions() == 0 && op->getNumResults() == 1 &&
         !is_differentiable(op->getResult(0).getType()) &&
         !llvm::isa<ir::ListType>(op->getResult(0).getType()) &&
         ir::shape_of(op->getResult(0)).empty();
}

/// Copies what depends on captures alone to a place outside.
class Outside {
public:
  Outside(mlir::OpBuilder& b, mlir::Region& body, mlir::ValueRange captures) : b_(b), body_(body) {
    auto arguments = body.getArguments().take_back(captures.size());
    map_.map(arguments, captures);
  }

  bool contains(Value value) const { return map_.contains(value); }

  /// What stands for a value outside, where `moves` says of each op on the way that it may be
  /// copied; null for others.
  Value of(Value value, llvm::function_ref<bool(mlir::Operation*)> moves) {
    if (map_.contains(value))
      return map_.lookup(value);
    if (!can_be_outside(value, moves))
      return {};
    copy(value.getDefiningOp());
    return map_.lookup(value);
  }

private:
  bool can_be_outside(Value value, llvm::function_ref<bool(mlir::Operation*)> moves) {
    if (map_.contains(value))
      return true;
    mlir::Operation* op = value.getDefiningOp();
    if (!op || op->getParentRegion() != &body_ || !(mlir::isPure(op) || is_captured_list(op)) ||
        !moves(op) || ir::facts_of(op).effect != ir::Effect::none)
      return false;
    for (Value result : op->getResults()) {
      auto list = llvm::dyn_cast<ir::ListType>(result.getType());
      for (const Extent& extent : ir::shape_of(list ? list.leaf() : result.getType()))
        for (const std::string& symbol : extent.symbols())
          if (lists::binds(body_, symbol))
            return false;
    }
    return llvm::all_of(op->getOperands(),
                        [&](Value operand) { return can_be_outside(operand, moves); });
  }
  /// Captured offsets are those of a list.
  bool is_captured_list(mlir::Operation* op) const {
    auto pack = llvm::dyn_cast<ir::PackOp>(op);
    return pack && llvm::all_of(pack.getOffsets(), [&](Value given) { return contains(given); });
  }
  void copy(mlir::Operation* op) {
    for (Value operand : op->getOperands())
      if (!map_.contains(operand))
        copy(operand.getDefiningOp());
    b_.clone(*op, map_);
  }

  mlir::OpBuilder& b_;
  mlir::Region& body_;
  mlir::IRMapping map_;
};

void hoist_views_of(mlir::Operation* loop, mlir::Region& body) {
  mlir::OpBuilder b(loop);
  Outside outside(b, body, captures_of(loop));
  auto moves = [](mlir::Operation* op) { return is_view(op) || is_place(op); };
  // The last first: of a chain of views the last becomes a capture.
  for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(body.front()))) {
    if (mlir::isOpTriviallyDead(&op)) {
      op.erase();
      continue;
    }
    if (op.getNumOperands() == 0 || !is_view(&op) ||
        !is_differentiable(op.getResult(0).getType()) ||
        !is_differentiable(op.getOperand(0).getType()))
      continue;
    Value root = op.getOperand(0);
    while (root.getDefiningOp() && is_view(root.getDefiningOp()))
      root = root.getDefiningOp()->getOperand(0);
    const bool is_of_capture = root.getDefiningOp() == nullptr && outside.contains(root);
    if (!is_of_capture)
      continue;
    if (Value made = outside.of(op.getResult(0), moves)) {
      op.getResult(0).replaceAllUsesWith(add_capture(loop, body, made));
      op.erase();
    }
  }
}

} // namespace

void hoist_views(mlir::Region& body) {
  for (mlir::Operation& op : llvm::make_early_inc_range(body.front()))
    for (mlir::Region& inner : op.getRegions()) {
      if (inner.empty())
        continue;
      hoist_views(inner);
      if (is_loop(&op))
        hoist_views_of(&op, inner);
    }
}

Values take_invariants(Builder& b, Apart& apart, size_t own, const Values& captures) {
  mlir::Operation* yield = apart.primal->front().getTerminator();
  Outside outside(b, *apart.primal, captures);
  Values taken, kept;
  Values yielded(yield->operand_begin(), yield->operand_begin() + static_cast<int64_t>(own));
  auto residual = apart.residuals.begin();
  for (int64_t& argument : apart.arguments) {
    if (argument >= 0)
      continue;
    if (Value made = outside.of(*residual, [](mlir::Operation*) { return true; })) {
      argument = -2 - static_cast<int64_t>(taken.size());
      taken.push_back(made);
    } else {
      kept.push_back(*residual);
    }
    ++residual;
  }
  llvm::append_range(yielded, kept);
  apart.residuals = kept;
  yield->setOperands(yielded);
  drop_unused(apart.primal->front());
  return taken;
}

} // namespace kolam::transform::derive
