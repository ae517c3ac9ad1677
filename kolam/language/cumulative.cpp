// Makes running combinations.
#include "kolam/language/cumulative.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"

namespace kolam::language {
namespace {

int64_t dim_of(Value x, std::optional<int64_t> axis) {
  int64_t rank = ir::rank_of(x);
  if (!axis && rank != 1)
    fail_argument(ErrorKind::value, "axis-required", "axis",
                  "an axis for rank " + std::to_string(rank), "none");
  return normalize_axis(axis.value_or(0), rank);
}

} // namespace

Value cumulative(Builder& b, Value x, Fn fn, int64_t dim, bool is_reverse) {
  return ir::CumulativeOp::create(
      b, x.getType(), x, b.getStringAttr(std::string_view(elementwise_row(fn).name)),
      b.getI64IntegerAttr(dim), b.getBoolAttr(is_reverse), b.getBoolAttr(false));
}

Value cumulative_extreme(Builder& b, Value x, Fn fn, std::optional<int64_t> axis, bool is_reverse) {
  if (ir::dtype_of(x) == DType::boolean)
    fail_argument(ErrorKind::type, "dtype-mismatch", "x", "integers or floats", describe(x));
  return cumulative(b, x, fn, dim_of(x, axis), is_reverse);
}

Value cumulative(Builder& b, Value x, Fn fn, std::optional<int64_t> axis,
                 std::optional<DType> dtype, bool include_initial) {
  int64_t dim = dim_of(x, axis);
  DType result_dtype = accumulation_dtype(ir::dtype_of(x), dtype);
  x = cast(b, x, result_dtype);
  Value result = cumulative(b, x, fn, dim, false);
  if (!include_initial)
    return result;
  Shape shape = ir::shape_of(result), initial = shape;
  initial[dim] = 1;
  Value start = weak_constant(b, int64_t{fn == Fn::multiply}, result_dtype);
  shape[dim] = shape[dim] + Extent(1);
  return ir::ConcatOp::create(b, tensor_type(b, result_dtype, shape),
                              mlir::ValueRange{broadcast_to(b, start, initial), result},
                              b.getI64IntegerAttr(dim));
}

} // namespace kolam::language
