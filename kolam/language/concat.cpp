// Makes concats.
#include "kolam/language/concat.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"

namespace kolam::language {
namespace {

void require_operands(const Values& values) {
  if (values.empty())
    fail_argument(ErrorKind::value, "no-operands", "arrays", "at least one array", "none");
}

/// Values whose dims other than `dim` have the same extents (`dim` -1: all dims).
void unify_shapes(Builder& b, Values& values, int64_t dim) {
  Shape common = ir::shape_of(values[0]);
  for (size_t i = 1; i < values.size(); ++i) {
    Shape shape = ir::shape_of(values[i]);
    if (shape.size() != common.size())
      fail_argument(ErrorKind::value, "rank-mismatch", "arrays",
                    "rank " + std::to_string(common.size()) + " as of array 0",
                    describe(values[i]) + " as array " + std::to_string(i));
    for (size_t d = 0; d < shape.size(); ++d)
      if (static_cast<int64_t>(d) != dim)
        common[d] = unify(b, common[d], shape[d],
                          "array " + std::to_string(i) + ", dim " + std::to_string(d));
  }
  for (Value& value : values) {
    Shape shape = common;
    if (dim >= 0)
      shape[dim] = ir::shape_of(value)[dim];
    value = with_shape(b, value, shape);
  }
}

} // namespace

Value concat(Builder& b, Values values, std::optional<int64_t> axis) {
  require_operands(values);
  values = promote(b, std::move(values));
  if (!axis)
    for (Value& value : values)
      value = flatten(b, value);
  int64_t dim = normalize_axis(axis.value_or(0), ir::rank_of(values[0]));
  unify_shapes(b, values, dim);
  if (values.size() == 1)
    return values[0];
  Shape shape = ir::shape_of(values[0]);
  shape[dim] = 0;
  for (Value value : values)
    shape[dim] = shape[dim] + ir::shape_of(value)[dim];
  return ir::ConcatOp::create(b, tensor_type(b, ir::dtype_of(values[0]), shape), values,
                              b.getI64IntegerAttr(dim));
}

Value stack(Builder& b, Values values, int64_t axis) {
  require_operands(values);
  int64_t dim = normalize_axis(axis, ir::rank_of(values[0]) + 1);
  unify_shapes(b, values, -1);
  for (Value& value : values)
    value = expand_dims(b, value, {dim});
  return concat(b, std::move(values), dim);
}

} // namespace kolam::language
