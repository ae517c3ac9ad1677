// Finds the slices that the counter places, and makes the factors of all steps.
#include "kolam/transform/kernels/summed_loops.h"

#include "kolam/analysis/ranges.h"
#include "kolam/ir/index_row.h"
#include "kolam/ir/ops.h"
#include "kolam/language/creation.h"
#include "kolam/language/index.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/transform/kernels/sums.h"
#include "kolam/transform/kernels/widen.h"

#include "llvm/ADT/SetVector.h"

namespace kolam::transform::kernels {
namespace {

using analysis::Range;
using analysis::Ranges;

using language::Builder;
using language::Value;
using language::Values;

/// A slice that moves by its own length with each step.
struct MovingSlice {
  ir::DynamicSliceOp op;
  int64_t dim, first; ///< where it starts along the dim at the first step
};

class SummedLoop {
public:
  SummedLoop(Builder& b, ir::ForOp loop)
      : b(b), loop_(loop), body_(loop.getBody().front()), counter_(body_.getArgument(0)) {}

  /// The sum; null where the loop is another one.
  Value run() {
    auto lower = Ranges().of(loop_.getLower()), upper = Ranges().of(loop_.getUpper());
    auto is_known = [](const std::optional<Range>& range) {
      return range && range->least == range->most;
    };
    if (!is_known(lower) || !is_known(upper) || upper->least - lower->least < 2 ||
        loop_.getInits().size() != 1 || loop_->hasAttr("late") || loop_->hasAttr("appended") ||
        !is_zero(loop_.getInits()[0]))
      return {};
    lower_ = lower->least;
    steps_ = upper->least - lower->least;
    Value state = body_.getArgument(1);
    auto [x, y] = terms_of(body_.getTerminator()->getOperand(0));
    if (!x || !state.hasOneUse() || (x != state && y != state))
      return {};
    auto product = (x == state ? y : x).getDefiningOp<ir::ContractOp>();
    auto terms = product ? chain_of_terms(product) : std::nullopt;
    if (!terms || !find_slices({product.getLhs(), product.getRhs()}, terms->length))
      return {};
    Values factors = factors_of(product, *terms);
    return factors.empty() ? Value()
                           : chains_in_order(b, product, factors[0], factors[1], terms->length);
  }

private:
  /// What the factors need is slices that move, and what does not depend on the counter.
  bool find_slices(Values left, int64_t length) {
    llvm::DenseSet<Value> seen;
    while (!left.empty()) {
      Value value = left.back();
      left.pop_back();
      if (!seen.insert(value).second)
        continue;
      if (value == counter_ || value == body_.getArgument(1))
        return false;
      mlir::Operation* op = value.getDefiningOp();
      if (!op)
        continue;
      if (auto slice = llvm::dyn_cast<ir::DynamicSliceOp>(op))
        if (auto moving = moving_slice(slice, length)) {
          slices_.push_back(*moving);
          continue;
        }
      left.insert(left.end(), op->operand_begin(), op->operand_end());
    }
    return !slices_.empty();
  }

  std::optional<MovingSlice> moving_slice(ir::DynamicSliceOp slice, int64_t length) {
    const Shape whole = ir::shape_of(slice.getOperand()), size = ir::shape_of(slice.getResult());
    std::optional<MovingSlice> found;
    for (auto [dim, start] : llvm::enumerate(slice.getStarts())) {
      auto row = ir::index_row(start, 1);
      auto offset = row && space::is_affine(*row) ? row->offset.constant() : std::nullopt;
      if (offset && row->coefficients[0] == 0)
        continue;
      auto extent = whole[dim].constant();
      const int64_t first = offset ? lower_ * length + *offset : -1;
      if (!offset || found || row->coefficients[0] != length || !(size[dim] == Extent(length)) ||
          first < 0 || !extent || first + steps_ * length > *extent)
        return std::nullopt;
      found = MovingSlice{slice, static_cast<int64_t>(dim), first};
    }
    return found && is_fixed(slice.getOperand()) ? found : std::nullopt;
  }

  /// Whether a value is the same at each step.
  bool is_fixed(Value value) const {
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value))
      return argument.getArgNumber() >= 2;
    return llvm::all_of(value.getDefiningOp()->getOperands(),
                        [&](Value operand) { return is_fixed(operand); });
  }

  Values factors_of(ir::ContractOp product, const ChainOfTerms& terms) {
    llvm::SmallVector<mlir::Type> types;
    for (MovingSlice& slice : slices_)
      types.push_back(slice.op.getType());
    auto captures = body_.getArguments().drop_front(2);
    for (mlir::BlockArgument capture : captures)
      types.push_back(capture.getType());
    auto at_step = language::make_region(b, types, [&](const Values& given) {
      mlir::IRMapping mapping;
      for (auto [slice, value] : llvm::zip_first(slices_, given))
        mapping.map(slice.op.getResult(), value);
      for (auto [capture, value] :
           llvm::zip(captures, llvm::ArrayRef(given).drop_front(slices_.size())))
        mapping.map(capture, value);
      Values own{product.getLhs(), product.getRhs()};
      copy_slice(b, loop_.getBody(), own, mapping);
      return Values{mapping.lookup(own[0]), mapping.lookup(own[1])};
    });
    WideDims dims{std::vector<std::optional<int64_t>>(types.size()),
                  {terms.left, terms.right},
                  terms.length * (steps_ - 1)};
    for (size_t slice = 0; slice < slices_.size(); ++slice)
      dims.arguments[slice] = slices_[slice].dim;
    auto all = widened(b, *at_step, dims);
    if (!all)
      return {};
    mlir::IRMapping mapping;
    for (auto [number, slice] : llvm::enumerate(slices_))
      mapping.map(all->getArgument(static_cast<unsigned>(number)),
                  whole_slice(slice, terms.length));
    for (auto [argument, capture] :
         llvm::zip(all->getArguments().drop_front(slices_.size()), loop_.getCaptures()))
      mapping.map(argument, capture);
    mlir::Operation* yields = all->front().getTerminator();
    Values both(yields->operand_begin(), yields->operand_end());
    copy_slice(b, *all, both, mapping);
    return {mapping.lookupOrDefault(both[0]), mapping.lookupOrDefault(both[1])};
  }

  /// The slices of all steps, one behind the other.
  Value whole_slice(MovingSlice& slice, int64_t length) {
    mlir::IRMapping mapping;
    for (auto [argument, capture] :
         llvm::zip(body_.getArguments().drop_front(2), loop_.getCaptures()))
      mapping.map(argument, capture);
    Values needed{slice.op.getOperand()};
    for (auto [dim, start] : llvm::enumerate(slice.op.getStarts()))
      if (static_cast<int64_t>(dim) != slice.dim)
        needed.push_back(start);
    copy_slice(b, loop_.getBody(), needed, mapping);
    Values starts;
    for (auto [dim, start] : llvm::enumerate(slice.op.getStarts()))
      starts.push_back(static_cast<int64_t>(dim) == slice.dim
                           ? language::integer_constant(b, slice.first, DType::i64)
                           : mapping.lookupOrDefault(start));
    Shape sizes = ir::shape_of(slice.op.getResult());
    sizes[static_cast<size_t>(slice.dim)] = Extent(length * steps_);
    return language::dynamic_slice(b, mapping.lookupOrDefault(slice.op.getOperand()), starts,
                                   sizes);
  }

  Builder& b;
  ir::ForOp loop_;
  mlir::Block& body_;
  Value counter_;
  int64_t lower_ = 0, steps_ = 0;
  std::vector<MovingSlice> slices_;
};

} // namespace

void sum_loops(Builder& b, mlir::Region& region) {
  std::vector<ir::ForOp> loops; // inner ones first
  region.walk([&](ir::ForOp loop) { loops.push_back(loop); });
  for (ir::ForOp loop : loops) {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setLoc(loop.getLoc());
    b.setInsertionPoint(loop);
    Value sum = SummedLoop(b, loop).run();
    if (!sum)
      continue;
    loop.getResult(0).replaceAllUsesWith(sum);
    loop.erase();
  }
}

} // namespace kolam::transform::kernels
