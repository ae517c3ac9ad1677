// Sorts, and keeps what differs from the element before.
#include "kolam/language/unique.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/cumulative.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/pad.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/language/scatter.h"
#include "kolam/language/slice.h"
#include "kolam/language/sort.h"
#include "kolam/language/take.h"

namespace kolam::language {
namespace {

/// The elements of x, [n], at `places`, of any integer dtype; at place n what `behind` is.
Value cells_at(Builder& b, Value x, Value places, Value behind) {
  Value cells = gather_cells(b, pad(b, x, {{0, 1}}, "constant", behind),
                             expand_dims(b, cast(b, places, DType::i64), {-1}), {0}, 0,
                             {"unique", "x", {"along axis 0"}});
  return squeeze(b, cells, Axes{1});
}

/// Whether each element of sorted ones differs from the one before it.
Value is_first(Builder& b, Value sorted, bool nan_is_one) {
  Extent n = ir::shape_of(sorted)[0];
  Value zero = weak_constant(b, int64_t{0}, ir::dtype_of(sorted));
  Value before = slice_dim(b, pad(b, sorted, {{1, 0}}, "constant", zero), 0, 0, n);
  Value differs = elementwise(b, Fn::not_equal, {sorted, before});
  if (nan_is_one && is_float(ir::dtype_of(sorted))) {
    Value are_nan =
        elementwise(b, Fn::logical_and,
                    {elementwise(b, Fn::isnan, {sorted}), elementwise(b, Fn::isnan, {before})});
    differs =
        elementwise(b, Fn::logical_and, {differs, elementwise(b, Fn::logical_not, {are_nan})});
  }
  DType dtype = index_dtype({n});
  Value leads = elementwise(b, Fn::equal, {iota(b, {n}, 0, dtype), integer_constant(b, 0, dtype)});
  return elementwise(b, Fn::logical_or, {leads, differs});
}

/// What fills values behind the last one: the smallest value (0 where there is none), or as given.
Value filling(Builder& b, Value sorted, Value given) {
  DType dtype = ir::dtype_of(sorted);
  Value zero = weak_constant(b, int64_t{0}, dtype);
  if (!given)
    return squeeze(b, cells_at(b, sorted, broadcast_to(b, extent_value(b, 0), {1}), zero), Axes{0});
  if (ir::rank_of(given) != 0)
    fail_argument(ErrorKind::value, "rank-mismatch", "fill_value", "a scalar", describe(given));
  return cast(b, given, dtype);
}

/// Where each value starts among the sorted elements, and where the next one does: at n for the
/// last.
struct Runs {
  Value firsts, nexts;
};

Runs runs_of(Builder& b, Value leads, Count count) {
  if (count.size) {
    require_size(b, *count.size);
    count.size = *count.size + Extent(1); // the one behind a last value that is not the last
  }
  Value places = true_places(b, leads, count);
  Extent extent = count.size ? *count.size - Extent(1) : ir::shape_of(places)[0];
  Value end = cast(b, extent_value(b, ir::shape_of(leads)[0]), ir::dtype_of(places));
  Value more = count.size ? places : pad(b, places, {{0, 1}}, "constant", end);
  return {slice_dim(b, places, 0, 0, extent), slice_dim(b, more, 0, 1, extent)};
}

/// The number of each element's value, at the element's own place.
Value inverse_of(Builder& b, Value leads, Value sources, const Shape& shape) {
  DType dtype = ir::dtype_of(sources);
  Value number = cumulative(b, cast(b, leads, dtype), Fn::add, 0, dtype, false);
  number = elementwise(b, Fn::subtract, {number, integer_constant(b, 1, dtype)});
  // An element more, as there may be none to write to.
  Extent n = ir::shape_of(sources)[0];
  Value target = broadcast_to(b, integer_constant(b, 0, dtype), {n + Extent(1)});
  ScatterSpec spec;
  spec.dims = {0};
  spec.unique_indices = true;
  LocationNote note(b, std::string(kLeavesOut));
  Value inverse =
      scatter(b, {target}, {expand_dims(b, number, {1})}, expand_dims(b, sources, {1}), spec)[0];
  return reshape(b, slice_dim(b, inverse, 0, 0, n), shape);
}

} // namespace

Unique unique(Builder& b, Value x, const UniqueSpec& spec) {
  Shape shape = ir::shape_of(x);
  Sorted sorted = sort(b, flatten(b, x), 0, false);
  Value leads = is_first(b, sorted.values, spec.nan_is_one);
  auto [firsts, nexts] = runs_of(b, leads, spec.count);
  Unique result;
  result.values = cells_at(b, sorted.values, firsts, filling(b, sorted.values, spec.fill_value));
  if (spec.wants_indices) {
    Value first = filling(b, sorted.indices, {});
    result.indices = cells_at(b, sorted.indices, firsts, first);
  }
  if (spec.wants_inverse)
    result.inverse = inverse_of(b, leads, sorted.indices, shape);
  if (spec.wants_counts)
    result.counts = elementwise(b, Fn::subtract, {nexts, firsts});
  return result;
}

} // namespace kolam::language
