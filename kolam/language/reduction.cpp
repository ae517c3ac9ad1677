// Makes named reductions.
#include "kolam/language/reduction.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/composite.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/language/zip_map_reduce.h"

namespace kolam::language {
namespace {

/// The extents' product minus `less`, at least 0, as a scalar.
Value count_of(Builder& b, const Extent& count, double less, DType dtype) {
  if (auto number = count.constant())
    return weak_constant(b, std::max(static_cast<double>(*number) - less, 0.0), dtype);
  Value extent =
      ir::ExtentOp::create(b, tensor_type(b, DType::i64, {}), b.getStringAttr(count.to_string()));
  extent = cast(b, extent, dtype);
  if (less == 0)
    return extent;
  Value left = elementwise(b, Fn::subtract, {extent, weak_constant(b, less, dtype)});
  return elementwise(b, Fn::maximum, {left, weak_constant(b, 0.0, dtype)});
}

/// mean of a value that already has its wide dtype.
Value wide_mean(Builder& b, Value x, const Axes& dims) {
  return divide_by_count(b, combine(b, x, Fn::add, dims), reduced_count(ir::shape_of(x), dims));
}

Value wide_variance(Builder& b, Value x, const Axes& dims, double correction) {
  Shape shape = ir::shape_of(x);
  Value centre = spread(b, wide_mean(b, x, dims), shape, dims);
  Value squares = elementwise(b, Fn::square, {elementwise(b, Fn::subtract, {x, centre})});
  return divide_by_count(b, combine(b, squares, Fn::add, dims), reduced_count(shape, dims),
                         correction);
}

} // namespace

DType wide_dtype(DType dtype) { return dtype == DType::f64 ? DType::f64 : DType::f32; }
DType float_dtype(DType dtype) { return is_float(dtype) ? dtype : DType::f32; }

Value spread(Builder& b, Value x, const Shape& shape, const Axes& dims) {
  return broadcast_to(b, keep_dims(b, x, dims), shape);
}

Value divide_by_count(Builder& b, Value sum, const Extent& count, double correction) {
  return elementwise(b, Fn::divide, {sum, count_of(b, count, correction, ir::dtype_of(sum))});
}

DType accumulation_dtype(DType operand, std::optional<DType> dtype) {
  if (dtype == DType::boolean)
    fail_argument(ErrorKind::type, "dtype-mismatch", "dtype", "integers or floats", "bool");
  if (dtype || is_float(operand) || byte_width(operand) > 2)
    return dtype.value_or(operand);
  return is_unsigned_integer(operand) ? DType::u32 : DType::i32;
}

Value combine(Builder& b, Value x, Fn fn, const Axes& dims) {
  return reduce(b, {x}, named_monoid(fn), dims)[0];
}

Value accumulate(Builder& b, Value x, Fn fn, const Axes& dims, std::optional<DType> dtype) {
  return combine(b, cast(b, x, accumulation_dtype(ir::dtype_of(x), dtype)), fn, dims);
}

Value extreme(Builder& b, Value x, Fn fn, const Axes& dims) {
  if (ir::dtype_of(x) == DType::boolean)
    fail(ErrorKind::type, "dtype-mismatch", "expected integers or floats, but got booleans");
  require_cells(b, ir::shape_of(x), dims);
  return combine(b, x, fn, dims);
}

Value truth(Builder& b, Value x, Fn fn, const Axes& dims) {
  return combine(b, cast(b, x, DType::boolean), fn, dims);
}

Value argument(Builder& b, Value x, Fn before, const Axes& dims) {
  if (ir::dtype_of(x) == DType::boolean)
    x = cast(b, x, DType::u8);
  Shape space = ir::shape_of(x);
  require_cells(b, space, dims);
  DType dtype = ir::dtype_of(x), index = index_dtype(space, dims);
  Pattern pattern;
  pattern.inputs = {x};
  pattern.body = make_region(b, {tensor_type(b, dtype, {})}, [&](const Values& cell) {
    return Values{cell[0], reduced_place(b, space, dims, index)};
  });
  pattern.space = space;
  pattern.monoid = argument_monoid(b, before, {dtype}, index);
  pattern.dims = dims;
  return zip_map_reduce(b, std::move(pattern))[0];
}

Value mean(Builder& b, Value x, const Axes& dims) {
  DType dtype = float_dtype(ir::dtype_of(x));
  return cast(b, wide_mean(b, cast(b, x, wide_dtype(dtype)), dims), dtype);
}

Value variance(Builder& b, Value x, const Axes& dims, double correction) {
  DType dtype = float_dtype(ir::dtype_of(x));
  return cast(b, wide_variance(b, cast(b, x, wide_dtype(dtype)), dims, correction), dtype);
}

namespace {

Value standard_deviation_of(Builder& b, Value x, const Axes& dims, double correction) {
  DType dtype = float_dtype(ir::dtype_of(x));
  Value wide = wide_variance(b, cast(b, x, wide_dtype(dtype)), dims, correction);
  return cast(b, elementwise(b, Fn::sqrt, {wide}), dtype);
}

} // namespace

Value standard_deviation(Builder& b, Value x, const Axes& dims, double correction) {
  return composite(
      b, "std", {x},
      {dims_attribute(b, dims), b.getNamedAttr("correction", b.getF64FloatAttr(correction))},
      [&](const Values& own) { return standard_deviation_of(b, own[0], dims, correction); });
}

Value finite_or_zero(Builder& b, Value x) {
  Value finite = elementwise(b, Fn::isfinite, {x});
  return elementwise(b, Fn::where, {finite, x, weak_constant(b, 0.0, ir::dtype_of(x))});
}

namespace {

Value logsumexp_of(Builder& b, Value x, const Axes& dims) {
  DType dtype = float_dtype(ir::dtype_of(x));
  x = cast(b, x, wide_dtype(dtype));
  Value top = combine(b, x, Fn::maximum, dims);
  Value shift = finite_or_zero(b, top);
  Value centred = elementwise(b, Fn::subtract, {x, spread(b, shift, ir::shape_of(x), dims)});
  Value sum = combine(b, elementwise(b, Fn::exp, {centred}), Fn::add, dims);
  Value result = elementwise(b, Fn::add, {elementwise(b, Fn::log, {sum}), shift});
  return cast(b, result, dtype);
}

} // namespace

Value logsumexp(Builder& b, Value x, const Axes& dims) {
  return composite(b, "logsumexp", {x}, {dims_attribute(b, dims)},
                   [&](const Values& own) { return logsumexp_of(b, own[0], dims); });
}

} // namespace kolam::language
