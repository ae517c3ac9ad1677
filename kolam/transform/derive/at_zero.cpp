// Follows zeros and numbers of the program through the ops of a body.
#include "kolam/transform/derive/at_zero.h"

#include "kolam/ir/ops.h"
#include "kolam/language/elementwise.h"
#include "kolam/transform/derive/transposition.h"

#include "llvm/ADT/TypeSwitch.h"

#include <optional>

namespace kolam::transform::derive {
namespace {

/// All elements are one number, or some one is not 0. No fact: nothing is known.
struct Known {
  std::optional<double> number;
  bool is_nonzero() const { return number != 0.0; }
};
using Fact = std::optional<Known>;

Fact number(double value) { return Known{value}; }

bool is_zero(const Fact& fact) { return fact && !fact->is_nonzero(); }

Fact of_constant(ir::ConstantOp op) {
  auto elements = llvm::dyn_cast<mlir::DenseFPElementsAttr>(op->getAttr("value"));
  if (!elements || elements.empty())
    return std::nullopt;
  auto as_double = [](llvm::APFloat value) {
    bool loses = false;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
    return value.convertToDouble();
  };
  if (elements.isSplat())
    return number(as_double(elements.getSplatValue<llvm::APFloat>()));
  if (llvm::any_of(elements.getValues<llvm::APFloat>(),
                   [](const llvm::APFloat& value) { return !value.isZero(); }))
    return Known{};
  return number(0);
}

Fact sum_of(const Fact& x, const Fact& y, double sign) {
  if (is_zero(y))
    return x;
  if (!x || !y)
    return std::nullopt;
  if (x->number && y->number)
    return number(*x->number + sign * *y->number);
  return is_zero(x) ? y : std::nullopt;
}

Fact product_of(const Fact& x, const Fact& y) {
  if (is_zero(x) || is_zero(y))
    return number(0);
  if (!x || !y)
    return std::nullopt;
  if (x->number && y->number)
    return number(*x->number * *y->number);
  return x->number || y->number ? Fact(Known{}) : std::nullopt;
}

Fact inverse_of(const Fact& x) {
  return x && x->number && *x->number != 0 ? number(1 / *x->number) : std::nullopt;
}

class AtZero {
public:
  Fact of(Value value) const {
    auto found = facts_.find(value);
    return found == facts_.end() ? std::nullopt : found->second;
  }
  void set(Value value, const Fact& fact) { facts_[value] = fact; }
  void walk(mlir::Block& block) {
    for (mlir::Operation& op : block.without_terminator())
      if (op.getNumResults() == 1)
        set(op.getResult(0), of_op(&op));
  }

private:
  Fact of_op(mlir::Operation* op) {
    const bool picks = llvm::isa<ir::SliceOp, ir::ViewOp>(op);
    if (llvm::isa<ir::CastOp>(op) || (ir::facts_of(op).view == ir::View::by_map && !picks))
      return is_differentiable(op->getResult(0).getType()) ? of(op->getOperand(0)) : std::nullopt;
    return llvm::TypeSwitch<mlir::Operation*, Fact>(op)
        .Case<ir::ConstantOp>([](auto constant) { return of_constant(constant); })
        .Case<ir::ElementwiseOp>([&](auto elementwise) { return of_elementwise(elementwise); })
        .Case<ir::SliceOp, ir::ViewOp>([&](auto) {
          Fact fact = of(op->getOperand(0));
          return fact && fact->number ? fact : std::nullopt; // another element may be the one
        })
        .Case<ir::ContractOp>([&](auto) {
          return is_zero(of(op->getOperand(0))) || is_zero(of(op->getOperand(1))) ? number(0)
                                                                                  : std::nullopt;
        })
        .Default([](mlir::Operation*) { return std::nullopt; });
  }
  Fact of_elementwise(ir::ElementwiseOp op) {
    auto operand = [&](unsigned number) { return of(op->getOperand(number)); };
    switch (*parse_fn(op.getFunction())) {
    case Fn::add:
      return sum_of(operand(0), operand(1), 1);
    case Fn::subtract:
      return sum_of(operand(0), operand(1), -1);
    case Fn::negative:
      return product_of(operand(0), number(-1));
    case Fn::multiply:
    case Fn::scale:
    case Fn::scale_either:
      return product_of(operand(0), operand(1));
    case Fn::divide:
      return product_of(operand(0), inverse_of(operand(1)));
    case Fn::where:
      return is_zero(operand(1)) && is_zero(operand(2)) ? number(0) : std::nullopt;
    default:
      return std::nullopt;
    }
  }

  llvm::DenseMap<Value, Fact> facts_;
};

bool has_elements(Value value) {
  auto count = element_count(ir::shape_of(value)).constant();
  return count && *count > 0;
}

} // namespace

void require_zeros_at_zero(mlir::Region& body, mlir::ValueRange arguments,
                           llvm::ArrayRef<bool> active, size_t first) {
  AtZero known;
  llvm::DenseSet<Value> depends;
  for (auto [own, outer, is_active] : llvm::zip(body.getArguments(), arguments, active)) {
    if (is_active) {
      known.set(own, number(0));
      depends.insert(own);
    } else if (auto constant = outer.getDefiningOp<ir::ConstantOp>()) {
      known.set(own, of_constant(constant));
    }
  }
  mlir::Block& block = body.front();
  known.walk(block);
  auto is_nonzero = [&](Value value) {
    Fact fact = known.of(value);
    return fact && fact->is_nonzero();
  };
  depends = Activity(Counts::all).of_block(block, std::move(depends));
  for (Value value : block.getTerminator()->getOperands().drop_front(first)) {
    if (!llvm::isa<mlir::RankedTensorType>(value.getType()) || !value.getDefiningOp() ||
        !is_nonzero(value) || !has_elements(value))
      continue;
    // The op that adds it is the first of those that depend on the arguments.
    mlir::Operation* op = value.getDefiningOp();
    auto goes_on = [&](Value operand) {
      return operand.getDefiningOp() && depends.contains(operand) && is_nonzero(operand);
    };
    for (auto next = llvm::find_if(op->getOperands(), goes_on); next != op->getOperands().end();
         next = llvm::find_if(op->getOperands(), goes_on))
      op = (*next).getDefiningOp();
    refuse_nonlinear(op, "expected a function that is linear in its arguments, but it gives other "
                         "numbers than 0 where these are 0");
  }
}

} // namespace kolam::transform::derive
