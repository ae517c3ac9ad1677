// Searches by halving, all values side by side.
#include "kolam/language/searchsorted.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/cumulative.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/pad.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/language/segment.h"
#include "kolam/language/sort.h"
#include "kolam/language/take.h"

#include <algorithm>

namespace kolam::language {
namespace {

/// No array has more elements, so neither has one whose extent only the run knows.
constexpr int64_t kLargestStep = int64_t{1} << 40;

/// Values of one dtype that can be compared.
Values comparable(Builder& b, Values values) {
  values = promote(b, std::move(values));
  if (ir::dtype_of(values[0]) == DType::boolean)
    for (Value& value : values)
      value = cast(b, value, DType::u8);
  return values;
}

Value is_nan(Builder& b, Value x) { return elementwise(b, Fn::isnan, {x}); }

/// Whether `x` comes before `y` in the order of `sort`.
Value comes_before(Builder& b, Value x, Value y) {
  Value less = elementwise(b, Fn::less, {x, y});
  if (!is_float(ir::dtype_of(x)))
    return less;
  Value only_y = elementwise(b, Fn::greater,
                             {cast(b, is_nan(b, y), DType::u8), cast(b, is_nan(b, x), DType::u8)});
  return elementwise(b, Fn::logical_or, {less, only_y});
}

/// The elements of `sorted` at `places`, which clip.
Value cells_at(Builder& b, Value sorted, Value places) {
  Value cells = gather_cells(b, sorted, expand_dims(b, places, {-1}), {0}, 0,
                             {"searchsorted", "x", {"along axis 0"}});
  return squeeze(b, cells, Axes{ir::rank_of(places)});
}

/// Whether an element of the sorted ones is one that the value passes.
Value passes(Builder& b, Value cell, Value values, Side side) {
  return side == Side::left ? comes_before(b, cell, values)
                            : elementwise(b, Fn::logical_not, {comes_before(b, values, cell)});
}

/// Of n elements, a number above 0: halves what is left, whatever it finds, so that every place
/// surely lies inside.
Value count_by_halving(Builder& b, Value sorted, Value values, Side side, int64_t n) {
  const DType dtype = index_dtype({n});
  Value count = broadcast_to(b, integer_constant(b, 0, dtype), ir::shape_of(values));
  // The result is count at least and count + left at most.
  for (int64_t left = n, half; left > 0; left -= half) {
    half = std::max<int64_t>(left / 2, 1);
    Value last = elementwise(b, Fn::add, {count, integer_constant(b, half - 1, dtype)});
    Value next = elementwise(b, Fn::add, {count, integer_constant(b, half, dtype)});
    Value is_passed = passes(b, cells_at(b, sorted, last), values, side);
    count = elementwise(b, Fn::where, {is_passed, next, count});
  }
  return count;
}

/// Whether values are 0, 1, 2, ... for sorted integers that are not many more: then these are
/// counted instead of searched for.
bool are_counts(Value sorted, Value values) {
  constexpr int64_t kFew = 16, kMost = 4; // size of code; counting one costs about four halvings
  while (auto cast = values.getDefiningOp<ir::CastOp>()) {
    if (!is_integer(ir::dtype_of(cast.getOperand())))
      return false;
    values = cast.getOperand();
  }
  auto n = ir::shape_of(sorted)[0].constant();
  if (!values.getDefiningOp<ir::IotaOp>() || ir::rank_of(values) != 1 ||
      !is_integer(ir::dtype_of(sorted)) || !n)
    return false;
  auto count = ir::shape_of(values)[0].constant();
  const DType dtype = ir::dtype_of(sorted);
  const int bits = 8 * byte_width(dtype) - (is_signed_integer(dtype) ? 1 : 0);
  const bool holds_count = bits >= 32 || (count && *count < int64_t{1} << bits);
  return count && holds_count && *count >= kFew && *n <= kMost * *count;
}

/// The same for each of the values 0 ... count - 1: an element is passed by all from itself on, or
/// from the next on.
///
///     sorted [0, 2, 2, 3]     begins [1, 0, 2, 1]     is passed, side right, [1, 1, 3, 4]
Value count_running(Builder& b, Value sorted, int64_t count, Side side) {
  const DType dtype = ir::dtype_of(sorted);
  Value zero = integer_constant(b, 0, dtype);
  Value first = elementwise(b, Fn::maximum, {sorted, zero});
  if (side == Side::left) {
    Value last = integer_constant(b, count - 1, dtype), one = integer_constant(b, 1, dtype);
    Value next = elementwise(b, Fn::add, {elementwise(b, Fn::minimum, {first, last}), one});
    first = elementwise(b, Fn::where, {elementwise(b, Fn::less, {sorted, zero}), zero, next});
  }
  return cumulative(b, bincount(b, first, {}, count), Fn::add, 0,
                    index_dtype({ir::shape_of(sorted)[0]}), false);
}

/// How many elements of `sorted`, [n], come before each value, or do not come behind it: i32 or
/// i64. Of n that only the run knows, steps of all powers of two from the largest, each taken where
/// it passes such elements only.
Value count_before(Builder& b, Value sorted, Value values, Side side) {
  const Extent n = ir::shape_of(sorted)[0];
  const Shape shape = ir::shape_of(values);
  Value count = broadcast_to(b, extent_value(b, 0), shape), all = extent_value(b, n);
  if (n == Extent(0))
    return count;
  if (are_counts(sorted, values))
    return count_running(b, sorted, *ir::shape_of(values)[0].constant(), side);
  if (auto number = n.constant())
    return count_by_halving(b, sorted, values, side, *number);
  // An element more, as there may be none.
  Value zero = weak_constant(b, int64_t{0}, ir::dtype_of(sorted));
  Value cells = pad(b, sorted, {{0, 1}}, "constant", zero);
  for (int64_t step = kLargestStep; step > 0; step /= 2) {
    Value next = elementwise(b, Fn::add, {count, extent_value(b, step)});
    Value last = elementwise(b, Fn::subtract, {next, extent_value(b, 1)});
    Value is_passed = passes(b, cells_at(b, cells, last), values, side);
    Value inside = elementwise(b, Fn::less_equal, {next, all});
    count = elementwise(b, Fn::where,
                        {elementwise(b, Fn::logical_and, {inside, is_passed}), next, count});
  }
  return count;
}

} // namespace

Value searchsorted(Builder& b, Value sorted, Value values, Side side, Value sorter) {
  if (ir::rank_of(sorted) != 1)
    fail_argument(ErrorKind::value, "rank-mismatch", "x", "1 dim", describe(sorted));
  if (sorter) {
    if (ir::rank_of(sorter) != 1)
      fail_argument(ErrorKind::value, "rank-mismatch", "sorter", "1 dim", describe(sorter));
    Extent n = unify(b, ir::shape_of(sorted)[0], ir::shape_of(sorter)[0],
                     "argument 'sorter', a place for each element of 'x'");
    sorted = take(b, with_shape(b, sorted, {n}), with_shape(b, sorter, {n}), 0);
  }
  Values both = comparable(b, {sorted, values});
  Value count = count_before(b, both[0], both[1], side);
  return cast(b, count, index_dtype({ir::shape_of(sorted)[0]}));
}

Value isin(Builder& b, Value x, Value values) {
  Values both = comparable(b, {x, flatten(b, values)});
  Value sorted = sort(b, both[1], 0, false).values;
  Extent n = ir::shape_of(sorted)[0];
  Value place = count_before(b, sorted, both[0], Side::left);
  Value zero = weak_constant(b, int64_t{0}, ir::dtype_of(sorted));
  Value cell = cells_at(b, pad(b, sorted, {{0, 1}}, "constant", zero), place);
  Value inside = elementwise(b, Fn::less, {place, extent_value(b, n)});
  return elementwise(b, Fn::logical_and, {inside, elementwise(b, Fn::equal, {cell, both[0]})});
}

} // namespace kolam::language
