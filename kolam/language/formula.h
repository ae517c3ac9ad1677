/// Formulas over the elements of floats: what composites of elementwise functions are written in.
#pragma once

#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"

namespace kolam::language {

/// Arithmetic on the f32 or f64 values of one formula; a number stands on the left.
struct Formula {
  Builder& b;

  Value number(double value, Value like) { return weak_constant(b, value, ir::dtype_of(like)); }
  Value add(double x, Value y) { return elementwise(b, Fn::add, {number(x, y), y}); }
  Value multiply(double x, Value y) { return elementwise(b, Fn::multiply, {number(x, y), y}); }
  Value apply(Fn fn, Value x) { return elementwise(b, fn, {x}); }
  Value apply(Fn fn, Value x, Value y) { return elementwise(b, fn, {x, y}); }
  Value apply(Fn fn, double x, Value y) { return elementwise(b, fn, {number(x, y), y}); }
  Value apply(Fn fn, Value x, double y) { return elementwise(b, fn, {x, number(y, x)}); }
  Value choose(Value condition, Value x, Value y) {
    return elementwise(b, Fn::where, {condition, x, y});
  }
  Value choose(Value condition, double x, Value y) { return choose(condition, number(x, y), y); }
  /// 1 + exp(-x)
  Value logistic_divisor(Value x) { return add(1, apply(Fn::exp, apply(Fn::negative, x))); }
};

/// `formula` on x as f32 or f64, and its result in x's dtype where that is a float.
inline Value in_wide_float(Builder& b, Value x,
                           llvm::function_ref<Value(Formula&, Value)> formula) {
  DType dtype = ir::dtype_of(x);
  Formula terms{b};
  Value result = formula(terms, dtype == DType::f64 ? x : cast(b, x, DType::f32));
  return is_float(dtype) ? cast(b, result, dtype) : result;
}

/// `formula` on both operands at their common shape, as f32 or f64; the result has their common
/// float dtype, f32 of integers.
inline Value in_wide_floats(Builder& b, Value x, Value y,
                            llvm::function_ref<Value(Formula&, Value, Value)> formula) {
  Values both = broadcast(b, promote(b, {x, y}));
  DType dtype = float_dtype(ir::dtype_of(both[0]));
  Formula f{b};
  Value wide_x = cast(b, both[0], wide_dtype(dtype)), wide_y = cast(b, both[1], wide_dtype(dtype));
  return cast(b, formula(f, wide_x, wide_y), dtype);
}

} // namespace kolam::language
