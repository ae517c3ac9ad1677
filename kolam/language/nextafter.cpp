// Counts up or down among the bits of floats.
#include "kolam/language/nextafter.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/composite.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"

namespace kolam::language {
namespace {

DType integer_of_width(DType dtype) {
  int width = byte_width(dtype);
  return width == 2 ? DType::i16 : width == 4 ? DType::i32 : DType::i64;
}

/// Of floats of one dtype and shape.
Value next_of(Builder& b, Value x, Value y) {
  DType dtype = ir::dtype_of(x), integer = integer_of_width(dtype);
  LocationNote note(b, std::string(kWrapsOnPurpose)); // at zero, which is set apart below
  Value zero = weak_constant(b, 0.0, dtype), one = integer_constant(b, 1, integer);
  // Magnitudes are in the order of their bits.
  Value grows = elementwise(
      b, Fn::equal, {elementwise(b, Fn::less, {x, y}), elementwise(b, Fn::greater, {x, zero})});
  Value bits = bitcast(b, x, integer);
  Value next = elementwise(
      b, Fn::where,
      {grows, elementwise(b, Fn::add, {bits, one}), elementwise(b, Fn::subtract, {bits, one})});
  Value least = elementwise(b, Fn::copysign, {bitcast(b, one, dtype), y});
  Value result = elementwise(
      b, Fn::where, {elementwise(b, Fn::equal, {x, zero}), least, bitcast(b, next, dtype)});
  result = elementwise(b, Fn::where, {elementwise(b, Fn::equal, {x, y}), y, result});
  Value either_nan = elementwise(b, Fn::logical_or,
                                 {elementwise(b, Fn::isnan, {x}), elementwise(b, Fn::isnan, {y})});
  return elementwise(b, Fn::where, {either_nan, elementwise(b, Fn::add, {x, y}), result});
}

} // namespace

Value nextafter(Builder& b, Value x, Value y) {
  Values floats = promote(b, {x, y});
  if (!is_float(ir::dtype_of(floats[0])))
    floats = {cast(b, floats[0], DType::f32), cast(b, floats[1], DType::f32)};
  return composite(b, "nextafter", broadcast(b, floats), {},
                   [&](const Values& operands) { return next_of(b, operands[0], operands[1]); });
}

} // namespace kolam::language
