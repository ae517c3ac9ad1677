// Makes products, roots and divisions of powers.
#include "kolam/language/power.h"

#include "kolam/language/elementwise.h"

#include <limits>

namespace kolam::language {
namespace {

double number_of(const WeakScalar& exponent) {
  return std::visit([](auto number) { return static_cast<double>(number); }, exponent);
}

/// sqrt(x), but 0 of -0 and inf of -inf.
Value root(Builder& b, Value x) {
  DType dtype = ir::dtype_of(x);
  Value infinity = weak_constant(b, std::numeric_limits<double>::infinity(), dtype);
  Value lowest = elementwise(b, Fn::equal, {x, elementwise(b, Fn::negative, {infinity})});
  Value without_sign = elementwise(b, Fn::add, {x, weak_constant(b, 0.0, dtype)});
  return elementwise(b, Fn::where, {lowest, infinity, elementwise(b, Fn::sqrt, {without_sign})});
}

Value power_of(Builder& b, Value x, double exponent) {
  if (exponent == 1)
    return x;
  if (exponent == -1)
    return elementwise(b, Fn::reciprocal, {x});
  if (exponent == 0.5)
    return root(b, x);
  if (exponent == -0.5)
    return elementwise(b, Fn::reciprocal, {root(b, x)});
  Value square = elementwise(b, Fn::square, {x});
  return exponent == 2 ? square : elementwise(b, Fn::multiply, {square, x});
}

} // namespace

bool has_short_power(DType dtype, const WeakScalar& exponent) {
  double number = number_of(exponent);
  if (dtype == DType::boolean)
    return false;
  if (number == 1 || number == 2 || number == 3)
    return true;
  bool is_of_floats = is_float(dtype) || std::holds_alternative<double>(exponent);
  return is_of_floats && (number == -1 || number == 0.5 || number == -0.5);
}

Value short_power(Builder& b, Value x, const WeakScalar& exponent) {
  DType dtype = ir::dtype_of(x);
  if (!is_float(dtype) && std::holds_alternative<double>(exponent))
    dtype = weak_dtype(exponent, dtype);
  DType wide = is_narrow_float(dtype) ? DType::f32 : dtype;
  return cast(b, power_of(b, cast(b, x, wide), number_of(exponent)), dtype);
}

} // namespace kolam::language
