// Applies functions of the elementwise table.
#include "kolam/language/elementwise.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/promotion.h"

namespace kolam::language {
namespace {

std::string_view rule_text(OperandRule rule) {
  switch (rule) {
  case OperandRule::numeric:
    return "integers or floats";
  case OperandRule::integer:
    return "integers";
  case OperandRule::integer_or_boolean:
    return "integers or booleans";
  case OperandRule::floating:
    return "floats";
  case OperandRule::boolean:
    return "booleans";
  default:
    return "any dtype";
  }
}

/// Operands at the dtype that the function computes in.
Values at_common_dtype(Builder& b, const ElementwiseRow& row, Values values) {
  values = promote(b, std::move(values));
  DType dtype = ir::dtype_of(values.front());
  if (row.operands == OperandRule::floating && !is_float(dtype)) {
    for (Value& value : values)
      value = cast(b, value, DType::f32);
    return values;
  }
  if (!accepts(row.operands, dtype))
    fail(ErrorKind::type, "dtype-mismatch",
         "expected " + std::string(rule_text(row.operands)) + ", but got " +
             std::string(name(dtype)));
  return values;
}

} // namespace

Value elementwise(Builder& b, Fn fn, Values values) {
  const ElementwiseRow& row = elementwise_row(fn);
  KOLAM_CHECK(static_cast<int>(values.size()) == row.arity);
  if (fn == Fn::where) {
    Value condition = cast(b, values[0], DType::boolean);
    Values sides = at_common_dtype(b, row, {values[1], values[2]});
    values = {condition, sides[0], sides[1]};
  } else {
    values = at_common_dtype(b, row, std::move(values));
  }
  values = broadcast(b, std::move(values));
  DType dtype = result_dtype(fn, ir::dtype_of(values.back()));
  return ir::ElementwiseOp::create(b, tensor_type(b, dtype, ir::shape_of(values.back())),
                                   b.getStringAttr(std::string_view(row.name)), values);
}

} // namespace kolam::language
