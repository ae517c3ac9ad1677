// Composes activation functions.
#include "kolam/language/activation.h"

#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"

#include <numbers>

namespace kolam::language {
namespace {

/// Arithmetic on the f32 or f64 values of one formula.
struct Formula {
  Builder& b;

  Value number(double value, Value like) { return weak_constant(b, value, ir::dtype_of(like)); }
  Value add(double x, Value y) { return elementwise(b, Fn::add, {number(x, y), y}); }
  Value multiply(double x, Value y) { return elementwise(b, Fn::multiply, {number(x, y), y}); }
  Value apply(Fn fn, Value x) { return elementwise(b, fn, {x}); }
  Value apply(Fn fn, Value x, Value y) { return elementwise(b, fn, {x, y}); }
  /// 1 + exp(-x)
  Value logistic_divisor(Value x) { return add(1, apply(Fn::exp, apply(Fn::negative, x))); }
};

/// `formula` on x as f32 or f64, and its result in x's dtype where that is a float.
Value in_wide_float(Builder& b, Value x, llvm::function_ref<Value(Formula&, Value)> formula) {
  DType dtype = ir::dtype_of(x);
  Formula terms{b};
  Value result = formula(terms, dtype == DType::f64 ? x : cast(b, x, DType::f32));
  return is_float(dtype) ? cast(b, result, dtype) : result;
}

} // namespace

Value relu(Builder& b, Value x) {
  return elementwise(b, Fn::maximum, {x, weak_constant(b, int64_t{0}, ir::dtype_of(x))});
}

Value sigmoid(Builder& b, Value x) {
  return in_wide_float(b, x, [](Formula& f, Value x) {
    return f.apply(Fn::divide, f.number(1, x), f.logistic_divisor(x));
  });
}

Value silu(Builder& b, Value x) {
  return in_wide_float(
      b, x, [](Formula& f, Value x) { return f.apply(Fn::divide, x, f.logistic_divisor(x)); });
}

Value gelu(Builder& b, Value x) {
  return in_wide_float(b, x, [](Formula& f, Value x) {
    Value erf = f.apply(Fn::erf, f.multiply(1 / std::numbers::sqrt2, x));
    return f.apply(Fn::multiply, f.multiply(0.5, x), f.add(1, erf));
  });
}

Value gelu_tanh(Builder& b, Value x) {
  return in_wide_float(b, x, [](Formula& f, Value x) {
    Value cube = f.apply(Fn::multiply, f.apply(Fn::square, x), x);
    Value inner = f.apply(Fn::add, x, f.multiply(0.044715, cube));
    double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
    Value tanh = f.apply(Fn::tanh, f.multiply(scale, inner));
    return f.apply(Fn::multiply, f.multiply(0.5, x), f.add(1, tanh));
  });
}

Value softplus(Builder& b, Value x) {
  return in_wide_float(b, x, [](Formula& f, Value x) {
    Value decayed = f.apply(Fn::exp, f.apply(Fn::negative, f.apply(Fn::abs, x)));
    return f.apply(Fn::add, f.apply(Fn::maximum, x, f.number(0, x)), f.apply(Fn::log1p, decayed));
  });
}

Value clip(Builder& b, Value x, Value lower, Value upper) {
  for (Value bound : {lower, upper})
    if (bound)
      x = cast(b, x, promote(ir::dtype_of(x), ir::dtype_of(bound)));
  if (lower)
    x = elementwise(b, Fn::maximum, {x, lower});
  if (upper)
    x = elementwise(b, Fn::minimum, {x, upper});
  return x;
}

Value divide_by(Builder& b, Value x, double divisor) {
  return in_wide_float(b, x, [divisor](Formula& f, Value x) {
    return f.apply(Fn::divide, x, f.number(divisor, x));
  });
}

} // namespace kolam::language
