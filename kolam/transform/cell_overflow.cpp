// Tells from operands and the wrapped result of one element whether it has wrapped.
#include "kolam/transform/cell_overflow.h"

#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"

#include <cmath>
#include <limits>

namespace kolam::transform {
namespace {

using language::Builder;
using language::elementwise;
using mlir::Value;

Value constant_like(Builder& b, Value x, int64_t value) {
  return language::weak_constant(b, value, ir::dtype_of(x));
}

Value both(Builder& b, Value x, Value y) { return elementwise(b, Fn::logical_and, {x, y}); }
Value either(Builder& b, Value x, Value y) { return elementwise(b, Fn::logical_or, {x, y}); }
Value negation(Builder& b, Value x) { return elementwise(b, Fn::logical_not, {x}); }

Value equals(Builder& b, Value x, int64_t number) {
  return elementwise(b, Fn::equal, {x, constant_like(b, x, number)});
}

Value is_negative(Builder& b, Value x) {
  return elementwise(b, Fn::less, {x, constant_like(b, x, 0)});
}

bool is_unsigned(Value x) { return is_unsigned_integer(ir::dtype_of(x)); }

Value is_lowest(Builder& b, Value x) {
  int width = 8 * byte_width(ir::dtype_of(x));
  return equals(b, x, std::numeric_limits<int64_t>::min() >> (64 - width));
}

/// Where x + y or x - y = r has not wrapped: the sign of the wrapped result tells.
Value sum_fits(Builder& b, Fn fn, Value x, Value y, Value r) {
  if (is_unsigned(x))
    return fn == Fn::add ? elementwise(b, Fn::greater_equal, {r, x})
                         : elementwise(b, Fn::less_equal, {y, x});
  // x + y moves down exactly where y < 0, x - y exactly where y > 0.
  Value moves_down =
      fn == Fn::add ? is_negative(b, y) : elementwise(b, Fn::greater, {y, constant_like(b, y, 0)});
  return elementwise(b, Fn::equal, {moves_down, elementwise(b, Fn::less, {r, x})});
}

/// Where x / y has not wrapped: the lowest integer over -1 does.
Value quotient_fits(Builder& b, Value x, Value y) {
  if (is_unsigned(x))
    return nullptr;
  return negation(b, both(b, equals(b, y, -1), is_lowest(b, x)));
}

/// Where x y = r has not wrapped: dividing gives y back. -1 times the lowest integer does so
/// although it wraps.
Value product_fits(Builder& b, Value x, Value y, Value r) {
  Value back = elementwise(b, Fn::equal, {elementwise(b, Fn::floor_divide, {r, x}), y});
  Value fits = either(b, back, equals(b, x, 0));
  Value wraps_back = quotient_fits(b, y, x);
  return wraps_back ? both(b, fits, wraps_back) : fits;
}

/// Where x^y has not wrapped. Powers with y > 1 keep a relative distance of 4e-10 and more from
/// 2^width, so that f64, which errs by less than 1e-15, can tell them apart.
Value power_fits(Builder& b, Value x, Value y) {
  int width = 8 * byte_width(ir::dtype_of(x));
  double limit = std::ldexp(1.0, is_unsigned(x) ? width : width - 1);
  auto f64 = [&](double value) { return language::weak_constant(b, value, DType::f64); };
  Value power =
      elementwise(b, Fn::pow, {language::cast(b, x, DType::f64), language::cast(b, y, DType::f64)});
  Value inside =
      elementwise(b, Fn::less, {elementwise(b, Fn::abs, {power}), f64(limit * (1 - 1e-10))});
  Value is_small = elementwise(b, Fn::less_equal, {y, constant_like(b, y, 1)});
  Value fits = either(b, is_small, inside);
  if (is_unsigned(x))
    return fits;
  // (-2)^63 and its like are the lowest integer itself.
  Value from_lowest = elementwise(b, Fn::abs, {elementwise(b, Fn::add, {power, f64(limit)})});
  return either(b, fits, elementwise(b, Fn::less, {from_lowest, f64(limit * 1e-10)}));
}

Value shift_fits(Builder& b, Value x, Value y, Value r) {
  Value back = elementwise(b, Fn::bitwise_right_shift, {r, y});
  return elementwise(b, Fn::equal, {back, x});
}

Value function_fits(Builder& b, ir::ElementwiseOp op) {
  Value r = op.getResult(), x = op.getOperands()[0], y = op.getOperands().back();
  if (!is_integer(ir::dtype_of(r)))
    return nullptr;
  Fn fn = *parse_fn(op.getFunction());
  switch (fn) {
  case Fn::add:
  case Fn::subtract:
    return sum_fits(b, fn, x, y, r);
  case Fn::multiply:
  case Fn::square: // y is x
    return product_fits(b, x, y, r);
  case Fn::negative:
    return is_unsigned(x) ? equals(b, x, 0) : negation(b, is_lowest(b, x));
  case Fn::abs:
    return is_unsigned(x) ? Value() : negation(b, is_lowest(b, x));
  case Fn::floor_divide:
    return quotient_fits(b, x, y);
  case Fn::bitwise_left_shift:
    return shift_fits(b, x, y, r);
  case Fn::pow:
    return power_fits(b, x, y);
  default:
    return nullptr;
  }
}

/// Whether every integer of `from` is one of `to`.
bool holds_all(DType to, DType from) {
  if (is_signed_integer(from) == is_signed_integer(to))
    return byte_width(to) >= byte_width(from);
  return is_signed_integer(to) && byte_width(to) > byte_width(from);
}

Value cast_fits(Builder& b, ir::CastOp op) {
  Value x = op.getOperand(), r = op.getResult();
  DType from = ir::dtype_of(x), to = ir::dtype_of(r);
  if (!is_integer(from) || !is_integer(to) || holds_all(to, from))
    return nullptr;
  Value same = elementwise(b, Fn::equal, {language::cast(b, r, from), x});
  if (is_signed_integer(from) == is_signed_integer(to))
    return same;
  return both(b, same, negation(b, is_negative(b, is_signed_integer(from) ? x : r)));
}

} // namespace

Value cell_fits(Builder& b, mlir::Operation* op) {
  if (auto function = llvm::dyn_cast<ir::ElementwiseOp>(op))
    return function_fits(b, function);
  if (auto cast = llvm::dyn_cast<ir::CastOp>(op))
    return cast_fits(b, cast);
  return nullptr;
}

} // namespace kolam::transform
