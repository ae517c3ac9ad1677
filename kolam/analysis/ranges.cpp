// Interval arithmetic, and for what loops carry intervals that a turn does not leave.
#include "kolam/analysis/ranges.h"

#include "kolam/ir/facts.h"
#include "kolam/ir/literal_number.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/visit.h"
#include "kolam/support/checked.h"
#include "kolam/support/elementwise.h"

#include <algorithm>

namespace kolam::analysis {
namespace {

/// The range of a function that is monotonous in each operand: of the values at the corners.
template <class F> std::optional<Range> corners(Range x, Range y, F f) {
  std::optional<Range> range;
  for (int64_t a : {x.least, x.most})
    for (int64_t b : {y.least, y.most}) {
      int64_t value;
      if (!f(a, b, value))
        return std::nullopt;
      range = range ? Range{std::min(range->least, value), std::max(range->most, value)}
                    : Range{value, value};
    }
  return range;
}

std::optional<Range> apply(Fn fn, Range x, Range y) {
  switch (fn) {
  case Fn::add:
    return corners(x, y, [](auto a, auto b, auto& r) { return !__builtin_add_overflow(a, b, &r); });
  case Fn::subtract:
    return corners(x, y, [](auto a, auto b, auto& r) { return !__builtin_sub_overflow(a, b, &r); });
  case Fn::multiply:
    return corners(x, y, [](auto a, auto b, auto& r) { return !__builtin_mul_overflow(a, b, &r); });
  case Fn::minimum:
    return Range{std::min(x.least, y.least), std::min(x.most, y.most)};
  case Fn::maximum:
    return Range{std::max(x.least, y.least), std::max(x.most, y.most)};
  case Fn::bitwise_right_shift: {
    constexpr int64_t kMost = 31; // format: of integers of at most 64 bits
    if (y.least < 0 || y.most > kMost)
      return std::nullopt;
    return corners(x, y, [](auto a, auto b, auto& r) { return r = a >> b, true; });
  }
  case Fn::floor_divide:
    if (y.least < 1)
      return std::nullopt;
    return corners(x, y, [](auto a, auto b, auto& r) { return r = floor_divide(a, b), true; });
  case Fn::remainder:
    if (y.least < 1)
      return std::nullopt;
    return x.least >= 0 ? Range{0, std::min(x.most, y.most - 1)} : Range{0, y.most - 1};
  default:
    return std::nullopt;
  }
}

/// What a comparison surely gives: 0, 1, or either.
std::optional<Range> compare(Fn fn, Range x, Range y) {
  constexpr Range kNo{0, 0}, kYes{1, 1}, kEither{0, 1};
  const bool below = x.most<y.least, above = x.least> y.most;
  const bool not_above = x.most <= y.least, not_below = x.least >= y.most;
  const bool is_one = not_above && not_below;
  switch (fn) {
  case Fn::equal:
    return below || above ? kNo : is_one ? kYes : kEither;
  case Fn::not_equal:
    return below || above ? kYes : is_one ? kNo : kEither;
  case Fn::less:
    return below ? kYes : not_below ? kNo : kEither;
  case Fn::less_equal:
    return not_above ? kYes : above ? kNo : kEither;
  case Fn::greater:
    return above ? kYes : not_above ? kNo : kEither;
  case Fn::greater_equal:
    return not_below ? kYes : below ? kNo : kEither;
  case Fn::logical_and:
    return Range{std::min(x.least, y.least), std::min(x.most, y.most)};
  case Fn::logical_or:
    return Range{std::max(x.least, y.least), std::max(x.most, y.most)};
  default:
    return std::nullopt;
  }
}

/// All integers of a dtype of at most 32 bits.
Range all_of(DType dtype) {
  const int bits = 8 * static_cast<int>(byte_width(dtype));
  const bool is_signed = is_signed_integer(dtype);
  int64_t most = (int64_t{1} << (bits - (is_signed ? 1 : 0))) - 1;
  return {is_signed ? -most - 1 : 0, most};
}

bool holds(DType dtype, Range range) {
  if (dtype == DType::i64 || dtype == DType::u64)
    return dtype == DType::i64 || range.least >= 0;
  const Range all = all_of(dtype);
  return range.least >= all.least && range.most <= all.most;
}

std::optional<Range> hull(std::optional<Range> x, std::optional<Range> y) {
  return x && y ? std::optional(Range{std::min(x->least, y->least), std::max(x->most, y->most)})
                : std::nullopt;
}

bool are_alike(std::optional<Range> x, std::optional<Range> y) {
  return x.has_value() == y.has_value() && (!x || (x->least == y->least && x->most == y->most));
}

using Found = llvm::SmallVector<std::optional<Range>>;

/// One question, whose answers are kept for values that are asked for again.
class Question {
public:
  explicit Question(const llvm::DenseMap<mlir::Value, Range>& known) : known_(known) {}

  std::optional<Range> of(mlir::Value value) {
    if (auto noted = known_.find(value); noted != known_.end())
      return noted->second;
    if (auto found = found_.find(value); found != found_.end())
      return found->second;
    if (!llvm::isa<mlir::RankedTensorType>(value.getType()) || is_float(ir::dtype_of(value)) ||
        left_ == 0)
      return std::nullopt;
    --left_;
    std::optional<Range> range = find(value);
    const DType dtype = ir::dtype_of(value);
    if (range && dtype != DType::boolean && !holds(dtype, *range))
      range.reset();
    found_[value] = range;
    return range;
  }

private:
  /// Bounds of the time that a question takes: values, and turns of a loop; intervals that halve
  /// come to rest in as many as an integer has bits.
  static constexpr int kMostValues = 1024, kMostTurns = 64;

  std::optional<Range> find(mlir::Value value) {
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value))
      return of_argument(argument);
    mlir::Operation* op = value.getDefiningOp();
    if (ir::facts_of(op).keeps_order || llvm::isa<ir::BroadcastOp>(op))
      return of(op->getOperand(0));
    if (auto loop = llvm::dyn_cast<ir::ForOp>(op))
      return of_state(loop, llvm::cast<mlir::OpResult>(value).getResultNumber());
    if (auto loop = llvm::dyn_cast<ir::WhileOp>(op))
      return of_state(loop, llvm::cast<mlir::OpResult>(value).getResultNumber());
    return ir::visit<std::optional<Range>>(
        op,
        [&](auto typed) -> std::optional<Range> {
          if constexpr (requires { this->of_op(typed); })
            return of_op(typed);
          else
            return std::nullopt;
        },
        [](mlir::Operation*) { return std::nullopt; });
  }

  std::optional<Range> of_op(ir::ConstantOp op) {
    auto number = ir::literal_number(op);
    return number ? std::optional(Range{*number, *number}) : std::nullopt;
  }

  std::optional<Range> of_op(ir::ExtentOp op) {
    auto number = Extent::parse(op.getExpression())->constant();
    return number ? std::optional(Range{*number, *number}) : std::nullopt;
  }

  std::optional<Range> of_op(ir::IotaOp op) {
    auto count = ir::shape_of(op.getResult())[static_cast<size_t>(op.getDim())].constant();
    return count && *count > 0 ? std::optional(Range{0, *count - 1}) : std::nullopt;
  }

  std::optional<Range> of_op(ir::CastOp op) {
    const DType from = ir::dtype_of(op.getOperand());
    if (ir::dtype_of(op.getResult()) == DType::boolean)
      return std::nullopt;
    std::optional<Range> range = of(op.getOperand());
    const bool is_narrow = is_integer(from) && byte_width(from) <= 2; // all of it is a bound
    return range || !is_narrow ? range : std::optional(all_of(from));
  }

  std::optional<Range> of_op(ir::ConcatOp op) {
    std::optional<Range> all = of(op.getOperands()[0]);
    for (mlir::Value part : op.getOperands().drop_front())
      all = hull(all, of(part));
    return all;
  }

  std::optional<Range> of_op(ir::ElementwiseOp op) {
    const auto operands = op.getOperands();
    const auto fn = parse_fn(op.getFunction());
    if (!fn || operands.size() > 3)
      return std::nullopt;
    auto x = of(operands[0]);
    if (operands.size() == 1)
      return x && *fn == Fn::logical_not ? std::optional(Range{1 - x->most, 1 - x->least})
                                         : std::nullopt;
    auto y = of(operands[1]);
    if (operands.size() == 3) {
      auto z = of(operands[2]);
      if (*fn != Fn::where)
        return std::nullopt;
      if (x && x->least == x->most)
        return x->most == 1 ? y : z;
      return hull(y, z);
    }
    // One side alone bounds what data choose.
    const DType dtype = ir::dtype_of(operands[0]);
    if ((*fn == Fn::minimum || *fn == Fn::maximum) && is_integer(dtype) && byte_width(dtype) <= 4)
      return apply(*fn, x.value_or(all_of(dtype)), y.value_or(all_of(dtype)));
    if (*fn == Fn::remainder && !x && y && y->least >= 1)
      return Range{0, y->most - 1};
    if (!x || !y)
      return std::nullopt;
    return ir::dtype_of(op.getResult()) == DType::boolean ? compare(*fn, *x, *y)
                                                          : apply(*fn, *x, *y);
  }

  std::optional<Range> of_argument(mlir::BlockArgument value) {
    mlir::Operation* around = value.getOwner()->getParentOp();
    if (auto loop = llvm::dyn_cast_or_null<ir::WhileOp>(around))
      return of_state(loop, value.getArgNumber());
    auto loop = llvm::dyn_cast_or_null<ir::ForOp>(around);
    if (!loop)
      return std::nullopt;
    if (value.getArgNumber() > 0)
      return of_state(loop, value.getArgNumber() - 1);
    auto lower = of(loop.getLower());
    if (!lower)
      return std::nullopt;
    auto upper = of(loop.getUpper());
    const int64_t most = ir::dtype_of(value) == DType::i64 ? INT64_MAX : INT32_MAX;
    return Range{lower->least, upper ? std::max(lower->least, upper->most - 1) : most};
  }

  /// Of what a loop carries, or behind that captures.
  template <class Loop> std::optional<Range> of_state(Loop loop, unsigned number) {
    const unsigned states = loop.getInits().size();
    if (number >= states)
      return of(loop.getCaptures()[number - states]);
    auto settled = settled_.find(loop.getOperation());
    if (settled == settled_.end()) {
      Found ranges = settle(loop);
      settled = settled_.try_emplace(loop.getOperation(), std::move(ranges)).first;
    }
    return settled->second[number];
  }

  /// Ranges of all that a loop carries which its inits lie in and a turn does not leave.
  template <class Loop> Found settle(Loop loop) {
    Found ranges;
    for (mlir::Value init : loop.getInits())
      ranges.push_back(of(init));
    mlir::ValueRange yields = loop.getBody().front().getTerminator()->getOperands();
    for (int turn = 0;; ++turn) {
      Found next = behind_a_turn(loop, ranges, yields);
      bool is_settled = true;
      for (size_t number = 0; number < ranges.size(); ++number) {
        const std::optional<Range> wider = hull(ranges[number], next[number]);
        if (are_alike(wider, ranges[number]))
          continue;
        is_settled = false;
        ranges[number] = turn < kMostTurns ? wider : std::nullopt;
      }
      if (is_settled)
        return ranges;
    }
  }

  /// What a turn yields where it begins with `ranges`.
  Found behind_a_turn(mlir::Operation* loop, const Found& ranges, mlir::ValueRange yields) {
    Question turn(*this); // what it finds holds for these ranges alone
    turn.settled_[loop] = ranges;
    Found next;
    for (mlir::Value yield : yields)
      next.push_back(turn.of(yield));
    left_ = turn.left_;
    return next;
  }

  const llvm::DenseMap<mlir::Value, Range>& known_;
  llvm::DenseMap<mlir::Value, std::optional<Range>> found_;
  llvm::DenseMap<mlir::Operation*, Found> settled_; ///< what loops carry
  int left_ = kMostValues;
};

} // namespace

std::optional<Range> Ranges::of(mlir::Value value) const { return Question(known_).of(value); }

} // namespace kolam::analysis
