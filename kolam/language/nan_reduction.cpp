// Composes reductions that leave NaN out.
#include "kolam/language/nan_reduction.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/zip_map_reduce.h"

#include <limits>

namespace kolam::language {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Value not_nan(Builder& b, Value x) {
  return elementwise(b, Fn::logical_not, {elementwise(b, Fn::isnan, {x})});
}

/// sum((x - mean)^2) / max(count - correction, 0) of a value of floats in their wide dtype.
Value wide_variance(Builder& b, Value x, const Axes& dims, double correction) {
  DType dtype = ir::dtype_of(x);
  Shape shape = ir::shape_of(x);
  Value count = count_numbers(b, x, dims, dtype);
  Value mean = elementwise(b, Fn::divide, {combine(b, without_nan(b, x, 0), Fn::add, dims), count});
  Value centred = elementwise(b, Fn::subtract, {x, spread(b, mean, shape, dims)});
  Value square = elementwise(b, Fn::square, {centred});
  // Of an infinite mean the differences are NaN too, and they count.
  Value kept = elementwise(b, Fn::where,
                           {elementwise(b, Fn::isnan, {x}), weak_constant(b, 0.0, dtype), square});
  Value left = elementwise(b, Fn::subtract, {count, weak_constant(b, correction, dtype)});
  left = elementwise(b, Fn::maximum, {left, weak_constant(b, 0.0, dtype)});
  return elementwise(b, Fn::divide, {combine(b, kept, Fn::add, dims), left});
}

/// The greatest finite number of a float dtype.
double highest(DType dtype) {
  switch (dtype) {
  case DType::f16:
    return 65504;
  case DType::bf16:
    return 0x1.fep127;
  case DType::f32:
    return std::numeric_limits<float>::max();
  default:
    return std::numeric_limits<double>::max();
  }
}

Value replaced(Builder& b, Value x, Value condition, double value) {
  return elementwise(b, Fn::where, {condition, weak_constant(b, value, ir::dtype_of(x)), x});
}

} // namespace

Value without_nan(Builder& b, Value x, double value) {
  if (!is_float(ir::dtype_of(x)))
    return x;
  return replaced(b, x, elementwise(b, Fn::isnan, {x}), value);
}

Value count_numbers(Builder& b, Value x, const Axes& dims, DType dtype) {
  return combine(b, cast(b, not_nan(b, x), dtype), Fn::add, dims);
}

Value nan_mean(Builder& b, Value x, const Axes& dims) {
  DType dtype = ir::dtype_of(x);
  if (!is_float(dtype))
    return mean(b, x, dims);
  Value wide = cast(b, x, wide_dtype(dtype));
  Value sum = combine(b, without_nan(b, wide, 0), Fn::add, dims);
  Value count = count_numbers(b, wide, dims, ir::dtype_of(wide));
  return cast(b, elementwise(b, Fn::divide, {sum, count}), dtype);
}

Value nan_variance(Builder& b, Value x, const Axes& dims, double correction) {
  DType dtype = ir::dtype_of(x);
  if (!is_float(dtype))
    return variance(b, x, dims, correction);
  return cast(b, wide_variance(b, cast(b, x, wide_dtype(dtype)), dims, correction), dtype);
}

Value nan_standard_deviation(Builder& b, Value x, const Axes& dims, double correction) {
  DType dtype = ir::dtype_of(x);
  if (!is_float(dtype))
    return standard_deviation(b, x, dims, correction);
  Value wide = wide_variance(b, cast(b, x, wide_dtype(dtype)), dims, correction);
  return cast(b, elementwise(b, Fn::sqrt, {wide}), dtype);
}

Value nan_extreme(Builder& b, Value x, Fn fn, const Axes& dims) {
  DType dtype = ir::dtype_of(x);
  if (!is_float(dtype))
    return extreme(b, x, fn, dims);
  Value best = extreme(b, without_nan(b, x, fn == Fn::minimum ? kInfinity : -kInfinity), fn, dims);
  Value any = combine(b, not_nan(b, x), Fn::logical_or, dims);
  Value nan = weak_constant(b, std::numeric_limits<double>::quiet_NaN(), dtype);
  return elementwise(b, Fn::where, {any, best, nan});
}

Value nan_argument(Builder& b, Value x, Fn fn, const Axes& dims) {
  if (!is_float(ir::dtype_of(x)))
    return argument(b, x, fn == Fn::minimum ? Fn::less : Fn::greater, dims);
  // NaN equals nothing, so it is never the place.
  Value best = spread(b, nan_extreme(b, x, fn, dims), ir::shape_of(x), dims);
  Value is_best = elementwise(b, Fn::equal, {x, best});
  Value place = argument(b, is_best, Fn::greater, dims);
  Value any = combine(b, is_best, Fn::logical_or, dims);
  return elementwise(b, Fn::where,
                     {any, place, weak_constant(b, int64_t{-1}, ir::dtype_of(place))});
}

Value nan_to_num(Builder& b, Value x, double nan, std::optional<double> posinf,
                 std::optional<double> neginf) {
  DType dtype = ir::dtype_of(x);
  if (!is_float(dtype))
    return x;
  Value positive = elementwise(b, Fn::equal, {x, weak_constant(b, kInfinity, dtype)});
  Value negative = elementwise(b, Fn::equal, {x, weak_constant(b, -kInfinity, dtype)});
  Value result = replaced(b, x, elementwise(b, Fn::isnan, {x}), nan);
  result = replaced(b, result, positive, posinf.value_or(highest(dtype)));
  return replaced(b, result, negative, neginf.value_or(-highest(dtype)));
}

} // namespace kolam::language
