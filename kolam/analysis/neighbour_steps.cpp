// Follows integers to counts and to what is the same along a dim.
#include "kolam/analysis/neighbour_steps.h"

#include "kolam/analysis/ranges.h"
#include "kolam/analysis/views.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/types.h"
#include "kolam/support/elementwise.h"

namespace kolam::analysis {
namespace {

using mlir::Value;

/// Bound: ops that are looked at; one with two readers is looked at twice.
constexpr int kMostSteps = 200;
/// Bound: what a step may be, so that sums of steps are numbers of 64 bits.
constexpr int64_t kMostStep = int64_t{1} << 16;

/// How integers differ from their neighbours. What wraps in its dtype jumps as well.
struct Steps {
  int64_t step = 0;
  bool rests = false; ///< some differ by 0 instead, if `step` is not 0
  bool jumps = false; ///< some differ by more; all such in one direction

  bool is_plain() const { return !rests && !jumps; }
  bool is_same() const { return step == 0 && is_plain(); }
};

class Neighbours {
public:
  std::optional<Steps> of(Value value, int64_t dim) {
    if (++looked_at_ > kMostSteps)
      return std::nullopt;
    if (ir::rank_of(value) == 0 || ir::shape_of(value)[dim] == Extent(1))
      return Steps{};
    mlir::Operation* op = value.getDefiningOp();
    std::optional<Steps> found = op ? find(op, dim) : std::nullopt;
    return found && std::abs(found->step) <= kMostStep ? found : std::nullopt;
  }

private:
  std::optional<Steps> find(mlir::Operation* op, int64_t dim) {
    if (auto iota = llvm::dyn_cast<ir::IotaOp>(op))
      return Steps{static_cast<int64_t>(iota.getDim()) == dim ? 1 : 0};
    if (auto constant = llvm::dyn_cast<ir::ConstantOp>(op))
      return llvm::cast<mlir::DenseElementsAttr>(constant.getValue()).isSplat()
                 ? std::optional(Steps{})
                 : std::nullopt;
    if (llvm::isa<ir::CastOp>(op))
      return of_cast(op, dim);
    if (auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op))
      return of_elementwise(elementwise, dim);
    std::optional<space::AffineMap> shown = view_of_operand(op);
    return shown ? of_view(op->getOperand(0), *shown, dim) : std::nullopt;
  }

  std::optional<Steps> of_cast(mlir::Operation* op, int64_t dim) {
    std::optional<Steps> from = of(op->getOperand(0), dim);
    const bool are_integers =
        is_integer(ir::dtype_of(op->getOperand(0))) && is_integer(ir::dtype_of(op->getResult(0)));
    return from && (are_integers || from->is_same()) ? from : std::nullopt;
  }

  std::optional<Steps> of_view(Value operand, const space::AffineMap& shown, int64_t dim) {
    Steps steps;
    int moving = 0;
    for (auto [place, row] : llvm::enumerate(shown.rows)) {
      const int64_t coefficient = row.coefficients[static_cast<size_t>(dim)];
      if (coefficient == 0)
        continue;
      std::optional<Steps> along = of(operand, static_cast<int64_t>(place));
      const bool is_neighbour = row.divisor == 1 && row.modulus == 0;
      if (!along || ++moving > 1 || !is_neighbour ||
          (std::abs(coefficient) != 1 && !along->is_plain()) || std::abs(coefficient) > kMostStep)
        return std::nullopt;
      steps = *along;
      steps.step *= coefficient;
    }
    return steps;
  }

  std::optional<Steps> of_elementwise(ir::ElementwiseOp op, int64_t dim) {
    llvm::SmallVector<Steps> operands;
    const std::optional<Fn> fn = parse_fn(op.getFunction());
    if (fn == Fn::where)
      return of_where(op, dim);
    for (Value operand : op.getOperands()) {
      std::optional<Steps> steps = of(operand, dim);
      if (!steps)
        return std::nullopt;
      operands.push_back(*steps);
    }
    if (llvm::all_of(operands, [](const Steps& steps) { return steps.is_same(); }))
      return Steps{};
    if (!is_integer(ir::dtype_of(op.getResult())))
      return std::nullopt;
    if (fn == Fn::negative)
      return Steps{-operands[0].step, operands[0].rests, operands[0].jumps};
    if (fn == Fn::add || fn == Fn::subtract)
      return sum(operands[0], operands[1], fn == Fn::add ? 1 : -1);
    if (fn == Fn::minimum || fn == Fn::maximum)
      return clipped(operands[0], operands[1]);
    if (fn == Fn::remainder && operands[0].is_plain() && operands[1].is_same())
      return Steps{operands[0].step, false, true};
    return std::nullopt;
  }

  /// Rests of one and jumps of another might make up for one another.
  static std::optional<Steps> sum(const Steps& x, const Steps& y, int64_t sign) {
    if (!x.is_plain() && !y.is_plain())
      return std::nullopt;
    const Steps& uneven = x.is_plain() ? y : x;
    const Steps& plain = x.is_plain() ? x : y;
    if (uneven.rests && plain.step != 0)
      return std::nullopt;
    return Steps{x.step + sign * y.step, uneven.rests, uneven.jumps};
  }

  static std::optional<Steps> clipped(const Steps& x, const Steps& y) {
    if (!x.is_same() && !y.is_same())
      return std::nullopt;
    const Steps& moving = x.is_same() ? y : x;
    return moving.jumps ? std::nullopt : std::optional(Steps{moving.step, true, false});
  }

  /// Both sides go on by one step, and from some place on the other one is taken.
  std::optional<Steps> of_where(ir::ElementwiseOp op, int64_t dim) {
    Value condition = op.getOperand(0);
    if (is_false(condition))
      return of(op.getOperand(2), dim);
    std::optional<Steps> yes = of(op.getOperand(1), dim),
                         no = yes ? of(op.getOperand(2), dim) : yes;
    if (!no || !yes->is_plain() || !no->is_plain() || yes->step != no->step)
      return std::nullopt;
    std::optional<Steps> where = below_zero(condition, dim);
    if (!where || !where->is_plain())
      return std::nullopt;
    return Steps{yes->step, false, !where->is_same()};
  }

  /// Of x in x < 0. Numbers of 32 bits and more do not wrap near to 0, so a run meets it once.
  std::optional<Steps> below_zero(Value condition, int64_t dim) {
    auto compare = condition.getDefiningOp<ir::ElementwiseOp>();
    if (!compare || parse_fn(compare.getFunction()) != Fn::less)
      return std::nullopt;
    Value x = compare.getOperand(0);
    std::optional<Range> other = Ranges().of(compare.getOperand(1));
    const bool is_zero = other && other->least == 0 && other->most == 0;
    const DType dtype = ir::dtype_of(x);
    return is_zero && is_integer(dtype) && byte_width(dtype) >= byte_width(DType::i32)
               ? of(x, dim)
               : std::nullopt;
  }

  /// x < 0 of what is never below 0.
  static bool is_false(Value condition) {
    auto compare = condition.getDefiningOp<ir::ElementwiseOp>();
    if (!compare || parse_fn(compare.getFunction()) != Fn::less)
      return false;
    std::optional<Range> x = Ranges().of(compare.getOperand(0)),
                         y = x ? Ranges().of(compare.getOperand(1)) : std::nullopt;
    return y && x->least >= y->most;
  }

  int looked_at_ = 0;
};

} // namespace

std::optional<int64_t> neighbour_step(Value value, int64_t dim) {
  std::optional<Steps> steps = Neighbours().of(value, dim);
  return steps ? std::optional(steps->step) : std::nullopt;
}

} // namespace kolam::analysis
