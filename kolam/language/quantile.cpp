// Composes quantiles of a sort and gathers.
#include "kolam/language/quantile.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/nan_reduction.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/reshape.h"
#include "kolam/language/sort.h"
#include "kolam/language/take.h"
#include "kolam/language/transpose.h"
#include "kolam/language/zip_map_reduce.h"

#include <limits>
#include <numeric>

namespace kolam::language {
namespace {

/// The elements that are reduced as the last dim, sorted: [kept..., n].
Value sorted_rows(Builder& b, Value x, const Axes& dims) {
  Axes last(dims.size());
  std::iota(last.begin(), last.end(), -static_cast<int64_t>(dims.size()));
  Value rows = moveaxis(b, x, dims, last);
  Shape shape = ir::shape_of(rows);
  if (dims.size() != 1) {
    Shape flat(shape.begin(), shape.end() - static_cast<int64_t>(dims.size()));
    flat.push_back(reduced_count(ir::shape_of(x), dims));
    rows = reshape(b, rows, flat);
  }
  return sort(b, rows, -1, false).values;
}

/// x (1 - t) + y t as x + (y - x) t; x itself where t is 0 or both are equal, as infinities may be.
Value between(Builder& b, Value x, Value y, Value t) {
  DType dtype = ir::dtype_of(x);
  Value difference = elementwise(b, Fn::subtract, {y, x});
  Value from_x = elementwise(b, Fn::add, {x, elementwise(b, Fn::multiply, {difference, t})});
  // From the nearer side, so that t = 1 gives y.
  Value rest = elementwise(b, Fn::subtract, {weak_constant(b, 1.0, dtype), t});
  Value from_y =
      elementwise(b, Fn::subtract, {y, elementwise(b, Fn::multiply, {difference, rest})});
  Value is_late = elementwise(b, Fn::greater_equal, {t, weak_constant(b, 0.5, dtype)});
  Value result = elementwise(b, Fn::where, {is_late, from_y, from_x});
  Value is_x = elementwise(b, Fn::logical_or,
                           {elementwise(b, Fn::equal, {t, weak_constant(b, 0.0, dtype)}),
                            elementwise(b, Fn::equal, {x, y})});
  return elementwise(b, Fn::where, {is_x, x, result});
}

Value middle(Builder& b, Value x, Value y) {
  Value half = weak_constant(b, 0.5, ir::dtype_of(x));
  return elementwise(
      b, Fn::add,
      {elementwise(b, Fn::multiply, {x, half}), elementwise(b, Fn::multiply, {y, half})});
}

/// Sorted rows, and the place that q means in each.
struct Rows {
  Value cells;  ///< [kept..., n], sorted, in a wide dtype
  Value places; ///< [q..., kept...], f64, not rounded
  Value is_nan; ///< [kept...]: the result is NaN whatever the place
};

/// The elements at rounded places: [q..., kept...].
Value cells_at(Builder& b, const Rows& rows, Fn rounding) {
  Value places = cast(b, elementwise(b, rounding, {rows.places}), DType::i64);
  Shape shape = ir::shape_of(places);
  int64_t kept = ir::rank_of(rows.cells) - 1;
  auto queries = static_cast<int64_t>(shape.size()) - kept;
  if (kept == 0)
    return take(b, rows.cells, places, 0);
  // [kept..., q], the dims of q as one.
  Shape flat(shape.begin() + queries, shape.end());
  flat.insert(flat.begin(), element_count(Shape(shape.begin(), shape.begin() + queries)));
  places = moveaxis(b, reshape(b, places, flat), {0}, {-1});
  Value taken = moveaxis(b, take_along_axis(b, rows.cells, places, -1), {-1}, {0});
  return reshape(b, taken, shape);
}

Value interpolated(Builder& b, const Rows& rows, Interpolation interpolation) {
  switch (interpolation) {
  case Interpolation::lower:
    return cells_at(b, rows, Fn::floor);
  case Interpolation::higher:
    return cells_at(b, rows, Fn::ceil);
  case Interpolation::nearest:
    return cells_at(b, rows, Fn::round);
  default:
    break;
  }
  Value below = cells_at(b, rows, Fn::floor), above = cells_at(b, rows, Fn::ceil);
  if (interpolation == Interpolation::midpoint)
    return middle(b, below, above);
  Value floor = elementwise(b, Fn::floor, {rows.places});
  Value t = elementwise(b, Fn::subtract, {rows.places, floor});
  return between(b, below, above, cast(b, t, ir::dtype_of(below)));
}

Rows rows_of(Builder& b, Value x, Value q, const Axes& dims, bool ignores_nan) {
  require_cells(b, ir::shape_of(x), dims);
  Rows rows;
  rows.cells = sorted_rows(b, x, dims);
  int64_t last = ir::rank_of(rows.cells) - 1;
  Extent count = ir::shape_of(rows.cells).back();
  Shape kept = ir::shape_of(rows.cells);
  kept.pop_back();
  // NaN is sorted to the end.
  Value most;
  if (ignores_nan) {
    Value exact = count_numbers(b, rows.cells, {last}, DType::i64);
    rows.is_nan = elementwise(b, Fn::equal, {exact, extent_value(b, 0)});
    Value one_less = elementwise(b, Fn::subtract, {exact, extent_value(b, 1)});
    most = cast(b, elementwise(b, Fn::maximum, {one_less, extent_value(b, 0)}), DType::f64);
  } else {
    Value end = take(b, rows.cells, extent_value(b, count - Extent(1)), last);
    rows.is_nan = elementwise(b, Fn::isnan, {end});
    most = broadcast_to(b, cast(b, extent_value(b, count - Extent(1)), DType::f64), kept);
  }
  Axes trailing(kept.size());
  std::iota(trailing.begin(), trailing.end(), ir::rank_of(q));
  rows.places = elementwise(b, Fn::multiply, {expand_dims(b, q, trailing), most});
  return rows;
}

Value finished(Builder& b, Value result, const Rows& rows, DType dtype) {
  Value nan = weak_constant(b, std::numeric_limits<double>::quiet_NaN(), ir::dtype_of(result));
  return cast(b, elementwise(b, Fn::where, {rows.is_nan, nan, result}), dtype);
}

/// Floats in the dtype that they are computed in.
Value wide_floats(Builder& b, Value x) {
  return cast(b, x, wide_dtype(float_dtype(ir::dtype_of(x))));
}

} // namespace

Value quantile(Builder& b, Value x, Value q, const Axes& dims, Interpolation interpolation,
               bool ignores_nan) {
  if (!is_float(ir::dtype_of(q)) && !is_integer(ir::dtype_of(q)))
    fail_argument(ErrorKind::type, "dtype-mismatch", "q", "floats", describe(q));
  q = cast(b, q, DType::f64);
  Value is_share =
      elementwise(b, Fn::logical_and,
                  {elementwise(b, Fn::greater_equal, {q, weak_constant(b, 0.0, DType::f64)}),
                   elementwise(b, Fn::less_equal, {q, weak_constant(b, 1.0, DType::f64)})});
  check(b, is_share, "bad-probability",
        "argument 'q': expected numbers from 0 to 1, but got one outside");
  Rows rows = rows_of(b, wide_floats(b, x), q, dims, ignores_nan);
  return finished(b, interpolated(b, rows, interpolation), rows, float_dtype(ir::dtype_of(x)));
}

Value median(Builder& b, Value x, const Axes& dims, bool ignores_nan) {
  Value half = weak_constant(b, 0.5, DType::f64);
  Rows rows = rows_of(b, wide_floats(b, x), half, dims, ignores_nan);
  return finished(b, interpolated(b, rows, Interpolation::midpoint), rows,
                  float_dtype(ir::dtype_of(x)));
}

} // namespace kolam::language
