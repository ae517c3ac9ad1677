// Patterns for ops that no equation describes, as they have regions or no result.
#include "kolam/rewrite/captures.h"

#include "kolam/ir/ops.h"
#include "kolam/rewrite/literals.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"

namespace kolam::rewrite {
namespace {

/// Whether a value is computed where it is read, by each who reads it.
bool costs_nothing(mlir::Operation* op) {
  if (auto broadcast = llvm::dyn_cast_if_present<ir::BroadcastOp>(op))
    op = broadcast.getOperand().getDefiningOp();
  if (auto constant = llvm::dyn_cast_if_present<ir::ConstantOp>(op))
    return bool(splat(constant.getResult()));
  return op && op->getNumOperands() == 0 && ir::facts_of(op).again == ir::Again::free;
}

/// A copy of what makes `value` in front of all ops of a block.
mlir::Value made_in(mlir::Block& block, mlir::Value value, mlir::PatternRewriter& rewriter) {
  rewriter.setInsertionPointToStart(&block);
  mlir::IRMapping copies;
  if (auto broadcast = value.getDefiningOp<ir::BroadcastOp>())
    rewriter.clone(*broadcast.getOperand().getDefiningOp(), copies);
  return rewriter.clone(*value.getDefiningOp(), copies)->getResult(0);
}

/// The last arguments of every region stand for the captures, in order.
mlir::BlockArgument argument(mlir::Block& block, size_t captures, size_t place) {
  return block.getArgument(block.getNumArguments() - captures + place);
}

/// Where a loop begins or ends, and what it starts with, lies in memory.
template <class Op> bool is_in_memory(mlir::OpOperand& use) {
  auto op = llvm::dyn_cast<Op>(use.getOwner());
  return op && use.getOperandNumber() < op->getNumOperands() - op.getCaptures().size();
}
bool is_in_memory(mlir::OpOperand& use) {
  return use.getOwner()->hasTrait<mlir::OpTrait::IsTerminator>() || is_in_memory<ir::ForOp>(use) ||
         is_in_memory<ir::WhileOp>(use) || is_in_memory<ir::ScanOp>(use) ||
         is_in_memory<ir::CondOp>(use);
}

template <class Op> class LessCaptures : public mlir::OpRewritePattern<Op> {
public:
  using mlir::OpRewritePattern<Op>::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter& rewriter) const override {
    const size_t captures = op.getCaptures().size();
    bool changed = false;
    llvm::SmallDenseMap<mlir::Value, unsigned> first;
    for (auto [place, value] : llvm::enumerate(op.getCaptures())) {
      auto [found, is_new] = first.try_emplace(value, place);
      for (mlir::Region& region : op->getRegions()) {
        mlir::Block& block = region.front();
        mlir::BlockArgument taken = argument(block, captures, place);
        if (!is_new && !taken.use_empty()) {
          rewriter.replaceAllUsesWith(taken, argument(block, captures, found->second));
          changed = true;
        }
        if (is_new && costs_nothing(value.getDefiningOp()) &&
            !llvm::all_of(taken.getUses(), [](auto& use) { return is_in_memory(use); })) {
          rewriter.replaceUsesWithIf(taken, made_in(block, value, rewriter),
                                     [](auto& use) { return !is_in_memory(use); });
          changed = true;
        }
      }
    }
    changed |= drop_unused(op, rewriter);
    return changed ? mlir::success() : rewriter.notifyMatchFailure(op, "captures nothing twice");
  }

private:
  static bool drop_unused(Op op, mlir::PatternRewriter& rewriter) {
    const size_t before = op.getCaptures().size();
    for (size_t place = before; place-- > 0;) {
      auto taken = [&, count = op.getCaptures().size()](mlir::Region& region) {
        return argument(region.front(), count, place);
      };
      if (llvm::any_of(op->getRegions(), [&](auto& region) { return !taken(region).use_empty(); }))
        continue;
      rewriter.modifyOpInPlace(op, [&] {
        for (mlir::Region& region : op->getRegions())
          region.front().eraseArgument(taken(region).getArgNumber());
        op.getCapturesMutable().erase(place);
      });
    }
    return op.getCaptures().size() != before;
  }
};

class HoldingCheck : public mlir::OpRewritePattern<ir::CheckOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(ir::CheckOp check,
                                      mlir::PatternRewriter& rewriter) const override {
    mlir::DenseElementsAttr known = splat(check.getCondition());
    if (!known || !known.getSplatValue<bool>())
      return rewriter.notifyMatchFailure(check, "may fail");
    rewriter.eraseOp(check);
    return mlir::success();
  }
};

/// A branch that is known stands where the choice stood.
class KnownBranch : public mlir::OpRewritePattern<ir::CondOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(ir::CondOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    const std::optional<int64_t> selector = splat_number(op.getSelector());
    if (!selector)
      return rewriter.notifyMatchFailure(op, "its selector is no literal");
    const auto last = static_cast<int64_t>(op.getBranches().size()) - 1;
    mlir::Region& region = op.getBranches()[std::clamp<int64_t>(*selector, 0, last)];
    mlir::Block& block = region.front();
    mlir::Operation* yield = block.getTerminator();
    rewriter.inlineBlockBefore(&block, op, op.getCaptures());
    llvm::SmallVector<mlir::Value> results(yield->getOperands());
    rewriter.eraseOp(yield);
    rewriter.replaceOp(op, results);
    return mlir::success();
  }
};

} // namespace

void add_capture_patterns(mlir::RewritePatternSet& patterns) {
  patterns.add<LessCaptures<ir::ForOp>, LessCaptures<ir::WhileOp>, LessCaptures<ir::ScanOp>,
               LessCaptures<ir::CondOp>, HoldingCheck, KnownBranch>(patterns.getContext());
}

} // namespace kolam::rewrite
