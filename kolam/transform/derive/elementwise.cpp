// Elementwise functions: by the derivative column of the table.
#include "kolam/language/elementwise.h"

#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/special.h"
#include "kolam/transform/derive/formula.h"
#include "kolam/transform/derive/rules.h"

namespace kolam::transform::derive {
namespace {

Fn fn_of(ir::ElementwiseOp op) { return *parse_fn(op.getFunction()); }

/// select(c, x', y'), zero where a side has no tangent.
void choose(ir::ElementwiseOp op, Linearisation& at) {
  Values sides{at.primal(op.getOperand(0)), at.tangent_or_zeros(op.getOperand(1)),
               at.tangent_or_zeros(op.getOperand(2))};
  at.set_tangent(op.getResult(), language::elementwise(at.linear, Fn::where, sides));
}

/// Whether all elements are finite, whatever the operands: numbers, and choices among them.
bool is_finite(Value value) {
  if (auto op = value.getDefiningOp<ir::ElementwiseOp>())
    return fn_of(op) == Fn::where && is_finite(op.getOperand(1)) && is_finite(op.getOperand(2));
  if (auto broadcast = value.getDefiningOp<ir::BroadcastOp>())
    return is_finite(broadcast.getOperand());
  auto constant = value.getDefiningOp<ir::ConstantOp>();
  auto elements = constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant->getAttr("value"))
                           : mlir::DenseElementsAttr();
  return elements && elements.isSplat() && llvm::isa<mlir::FloatType>(elements.getElementType()) &&
         elements.getSplatValue<llvm::APFloat>().isFinite();
}

/// The product of what is linear and a coefficient, guarded where that may be infinite or NaN.
Value guarded(Builder& b, Value value, Value coefficient) {
  return language::elementwise(b, is_finite(coefficient) ? Fn::multiply : Fn::scale,
                               {value, coefficient});
}

/// tangent times coefficient; null where that is 0.
Value times(Builder& b, Value tangent, const Term& coefficient) {
  if (!coefficient.number)
    return guarded(b, tangent, coefficient.value);
  if (*coefficient.number == 0)
    return {};
  if (*coefficient.number == 1)
    return tangent;
  if (*coefficient.number == -1)
    return language::elementwise(b, Fn::negative, {tangent});
  Value number = language::weak_constant(b, *coefficient.number, ir::dtype_of(tangent));
  return guarded(b, tangent, number);
}

/// Whether zero in either factor hides the other, also of what this operand changes. A guarded
/// product whose coefficient changes without bound where its factor is zero does not change.
bool is_guarded_by_both(Fn fn, unsigned operand) {
  return fn == Fn::scale_either || (fn == Fn::scale && operand == 1);
}

} // namespace

/// Narrow floats in f32, rounded once.
void linearise_rule(ir::ElementwiseOp op, Linearisation& at) {
  Fn fn = fn_of(op);
  DType dtype = ir::dtype_of(op.getResult());
  if (!is_float(dtype))
    return;
  if (fn == Fn::where)
    return choose(op, at);
  const DType wide = language::wide_dtype(dtype);
  Values operands;
  for (Value operand : op.getOperands())
    operands.push_back(language::cast(at.b, at.primal(operand), wide));
  Value result = language::cast(at.b, at.primal(op.getResult()), wide);
  Value sum;
  for (auto [number, operand] : llvm::enumerate(op.getOperands())) {
    if (!at.is_active(operand))
      continue;
    std::string_view text = elementwise_row(fn).derivative[number];
    const bool is_formula = fn != Fn::lgamma; // whose derivative is no function of the table
    if (text.empty() && is_formula)
      refuse(op, "expected a function that has a derivative");
    Term factor = is_formula ? formula(at.b, text, operands, result)
                             : Term{{}, language::digamma(at.b, operands[number])};
    Value tangent = language::cast(at.linear, at.tangent(operand), wide);
    Value part =
        is_guarded_by_both(fn, number)
            ? language::elementwise(at.linear, Fn::scale_either, {tangent, operands[1 - number]})
            : times(at.linear, tangent, factor);
    if (part)
      sum = added(at.linear, sum, part);
  }
  if (sum)
    at.set_tangent(op.getResult(), language::cast(at.linear, sum, dtype));
}

void transpose_rule(ir::ElementwiseOp op, Transposition& at) {
  Value v = at.cotangent(op.getResult());
  auto apply = [&](Fn fn, Values values) { return language::elementwise(at.b, fn, values); };
  auto operand = [&](unsigned number) { return op.getOperand(number); };
  auto is_linear = [&](unsigned number) { return at.is_linear(operand(number)); };
  auto by_other = [&](unsigned number, unsigned other) {
    if (!is_linear(number))
      return;
    if (is_linear(other))
      refuse_nonlinear(op, "expected one factor that depends on the arguments, but both do");
    const Value coefficient = at.coefficient(operand(other));
    at.add(operand(number), is_guarded_by_both(fn_of(op), number)
                                ? apply(Fn::scale_either, {v, coefficient})
                                : guarded(at.b, v, coefficient));
  };
  auto chosen = [&](unsigned number) {
    if (!is_linear(number))
      return;
    Values sides{at.coefficient(operand(0)), v, v};
    sides[3 - number] = language::weak_constant(at.b, 0.0, ir::dtype_of(v));
    at.add(operand(number), apply(Fn::where, sides));
  };
  switch (fn_of(op)) {
  case Fn::add:
    at.add(operand(1), v);
    at.add(operand(0), v);
    return;
  case Fn::subtract:
    if (is_linear(1))
      at.add(operand(1), apply(Fn::negative, {v}));
    at.add(operand(0), v);
    return;
  case Fn::negative:
    at.add(operand(0), apply(Fn::negative, {v}));
    return;
  case Fn::scale_either:
  case Fn::scale:
  case Fn::multiply:
    by_other(1, 0);
    by_other(0, 1);
    return;
  case Fn::fma:
    at.add(operand(2), v);
    by_other(1, 0);
    by_other(0, 1);
    return;
  case Fn::divide:
    if (is_linear(1))
      break;
    return at.add(operand(0), apply(Fn::divide, {v, at.coefficient(operand(1))}));
  case Fn::where:
    chosen(2);
    chosen(1);
    return;
  default:
    break;
  }
  refuse_nonlinear(op, "expected a function that is linear in its arguments");
}

/// Between floats.
void linearise_rule(ir::CastOp op, Linearisation& at) {
  if (is_float(ir::dtype_of(op.getResult())))
    at.set_linear(op, {0});
}

void transpose_rule(ir::CastOp op, Transposition& at) {
  Value v = at.cotangent(op.getResult());
  at.add(op.getOperand(), language::cast(at.b, v, ir::dtype_of(op.getOperand())));
}

void linearise_rule(ir::MaterializeOp op, Linearisation& at) {
  at.set_tangent(op.getResult(), at.tangent(op.getOperand()));
}

void transpose_rule(ir::MaterializeOp op, Transposition& at) {
  at.add(op.getOperand(), at.cotangent(op.getResult()));
}

void linearise_rule(ir::PinOp op, Linearisation& at) {
  at.set_tangent(op.getResult(), at.tangent(op.getOperand()));
}

void transpose_rule(ir::PinOp op, Transposition& at) {
  at.add(op.getOperand(), at.cotangent(op.getResult()));
}

} // namespace kolam::transform::derive
