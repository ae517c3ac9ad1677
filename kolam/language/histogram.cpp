// Composes searches and scatters.
#include "kolam/language/histogram.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/control.h"
#include "kolam/language/creation.h"
#include "kolam/language/formula.h"
#include "kolam/language/reduction.h"
#include "kolam/language/reshape.h"
#include "kolam/language/reverse.h"
#include "kolam/language/searchsorted.h"
#include "kolam/language/segment.h"
#include "kolam/language/slice.h"
#include "kolam/language/take.h"
#include "kolam/language/zip_map_reduce.h"

#include <limits>

namespace kolam::language {
namespace {

void require_vector(Value x, std::string_view argument) {
  if (ir::rank_of(x) != 1)
    fail_argument(ErrorKind::value, "rank-mismatch", argument, "rank 1", describe(x));
}

/// One element of a vector.
Value cell(Builder& b, Value x, const Extent& place) {
  return take(b, x, extent_value(b, place), 0);
}

/// The dtype that bins of x have.
DType edge_dtype(Value x) { return float_dtype(ir::dtype_of(x)); }

/// The greatest relative error of rounding to a float dtype.
double rounding_error(DType dtype) {
  return visit_dtype(dtype, [](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, BFloat16>)
      return 0x1p-8;
    else if constexpr (std::is_same_v<T, Float16>)
      return 0x1p-11;
    else
      return static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  });
}

/// Equal distances, by which the edge nearest to an element is known up to one.
class EqualBins {
public:
  EqualBins(Builder& b, const BinEdges& between, DType dtype)
      : b_(b), f_{b}, lower_(between.lower), upper_(between.upper), dtype_(dtype),
        wide_(wide_dtype(dtype)), count_(ir::shape_of(between.edges)[0]) {
    Value bins = cast(b, extent_value(b, count_ - Extent(1)), DType::f64);
    width_ = f_.apply(Fn::subtract, upper_, lower_);
    scale_ = f_.apply(Fn::divide, bins, width_);
    bins_ = bins;
  }

  /// Whether rounding of edges and of what is computed here moves no element by half a bin.
  Value are_regular() {
    // A bound: edges round once in their dtype, what is computed rounds ten times; together less
    // than a quarter.
    const double least_error = 4 * rounding_error(dtype_) + 64 * rounding_error(wide_);
    Value most = f_.apply(Fn::maximum, f_.apply(Fn::abs, lower_), f_.apply(Fn::abs, upper_));
    Value error = f_.multiply(least_error, f_.apply(Fn::multiply, most, bins_));
    const bool is_f64 = wide_ == DType::f64;
    // Meaning: where the scale is a normal number, and no distance too large, in the dtype that
    // they are computed in.
    const double least = is_f64 ? 0x1p-1022 : 0x1p-126, greatest = is_f64 ? 0x1p1023 : 0x1p127;
    auto is_normal = [&](Value x) {
      return f_.apply(Fn::logical_and, f_.apply(Fn::greater_equal, x, least),
                      f_.apply(Fn::less_equal, x, greatest));
    };
    Value has_scale = f_.apply(Fn::logical_and, is_normal(scale_), is_normal(width_));
    return f_.apply(Fn::logical_and, has_scale, f_.apply(Fn::less_equal, error, width_));
  }

  /// The bin of each element; -1 below, `bins` from the last edge on. i32.
  Value bin_of(Value x) {
    Value distance = f_.apply(Fn::subtract, cast(b_, x, wide_), cast(b_, lower_, wide_));
    Value quotient = f_.apply(Fn::multiply, distance, cast(b_, scale_, wide_));
    Value edge = cast(b_, f_.add(0.5, quotient), DType::i32);
    Value last = cast(b_, extent_value(b_, count_ - Extent(1)), DType::i32);
    edge = f_.apply(Fn::minimum, f_.apply(Fn::maximum, edge, integer_constant(b_, 0, DType::i32)),
                    last);
    Value at = linspace_at(b_, edge, lower_, upper_, count_, true, dtype_);
    Value is_below = cast(b_, f_.apply(Fn::less, x, at), DType::i32);
    return f_.apply(Fn::subtract, edge, is_below);
  }

private:
  Builder& b_;
  Formula f_;
  Value lower_, upper_;
  DType dtype_, wide_;
  Extent count_;
  Value bins_, width_, scale_;
};

/// How many edges but the first are not above each element, -1 where all are: i32 or i64.
Value bin_of(Builder& b, Value x, const BinEdges& between) {
  const Extent count = ir::shape_of(between.edges)[0];
  auto searched = [&] {
    Value place = searchsorted(b, between.edges, x, Side::right, {});
    return elementwise(b, Fn::subtract, {place, integer_constant(b, 1, ir::dtype_of(place))});
  };
  if (!between.lower || index_dtype({count}) != DType::i32)
    return searched();
  x = promote(b, {between.edges, x})[1];
  EqualBins equal(b, between, ir::dtype_of(x));
  std::vector<Body> branches;
  branches.push_back(make_body(b, {}, [&](const Values&) { return Values{searched()}; }));
  branches.push_back(make_body(b, {}, [&](const Values&) { return Values{equal.bin_of(x)}; }));
  return cond(b, equal.are_regular(), std::move(branches))[0];
}

} // namespace

Value digitize(Builder& b, Value x, Value bins, bool is_right) {
  require_vector(bins, "bins");
  Extent count = ir::shape_of(bins)[0];
  Side side = is_right ? Side::left : Side::right;
  Value rising = searchsorted(b, bins, x, side, {});
  if (count == Extent(0) || count == Extent(1))
    return rising;
  // Falling bins are searched back to front.
  Value back = searchsorted(b, flip(b, bins, std::nullopt), x, side, {});
  back = elementwise(b, Fn::subtract, {cast(b, extent_value(b, count), ir::dtype_of(back)), back});
  Value first = cell(b, bins, 0), last = cell(b, bins, count - Extent(1));
  return elementwise(b, Fn::where, {elementwise(b, Fn::greater, {first, last}), back, rising});
}

Values range_of(Builder& b, Value x) {
  DType dtype = edge_dtype(x);
  x = flatten(b, ir::dtype_of(x) == DType::boolean ? cast(b, x, DType::u8) : x);
  if (ir::shape_of(x)[0] == Extent(0))
    return {weak_constant(b, 0.0, dtype), weak_constant(b, 1.0, dtype)};
  Value lower = cast(b, combine(b, x, Fn::minimum, {0}), dtype),
        upper = cast(b, combine(b, x, Fn::maximum, {0}), dtype);
  if (ir::shape_of(x)[0].is_constant())
    return {lower, upper};
  Value is_empty =
      elementwise(b, Fn::equal,
                  {extent_value(b, ir::shape_of(x)[0]), weak_constant(b, int64_t{0}, DType::i64)});
  return {elementwise(b, Fn::where, {is_empty, weak_constant(b, 0.0, dtype), lower}),
          elementwise(b, Fn::where, {is_empty, weak_constant(b, 1.0, dtype), upper})};
}

BinEdges bin_edges(Builder& b, Value x, const Extent& bins, Value lower, Value upper) {
  Formula f{b};
  DType dtype = edge_dtype(x);
  lower = cast(b, lower, DType::f64);
  upper = cast(b, upper, DType::f64);
  Value are_finite =
      f.apply(Fn::logical_and, f.apply(Fn::isfinite, lower), f.apply(Fn::isfinite, upper));
  check(b, are_finite, "not-finite",
        "argument 'range': expected limits that are finite, but got others, of the elements where "
        "no range is given");
  check(b, f.apply(Fn::less_equal, lower, upper), "bad-option",
        "argument 'range': expected a lower limit that is not above the upper, but got one above");
  Value are_equal = f.apply(Fn::equal, lower, upper);
  Value low = f.choose(are_equal, f.add(-0.5, lower), lower);
  Value high = f.choose(are_equal, f.add(0.5, upper), upper);
  return {linspace(b, low, high, bins + Extent(1), true, dtype), low, high};
}

Value histogram(Builder& b, Value x, const BinEdges& between, Value weights, bool is_density) {
  Value edges = between.edges;
  require_vector(edges, "bins");
  Extent count = ir::shape_of(edges)[0];
  require_at_most(b, 2, count, "shape-mismatch",
                  "argument 'bins': expected 2 edges or more, but got " + count.to_string());
  Extent bins = max(count - Extent(1), 0);
  Formula f{b};
  x = flatten(b, x);
  if (ir::dtype_of(x) == DType::boolean)
    x = cast(b, x, DType::u8);
  Value place = bin_of(b, x, between);
  // The last edge belongs to the last bin.
  Value last = cell(b, edges, count - Extent(1));
  Value last_bin = cast(b, extent_value(b, bins - Extent(1)), ir::dtype_of(place));
  place = f.choose(f.apply(Fn::equal, x, last), last_bin, place);
  if (is_float(ir::dtype_of(x))) {
    Value none = integer_constant(b, -1, ir::dtype_of(place));
    place = f.choose(f.apply(Fn::isnan, x), none, place);
  }
  if (weights) {
    if (ir::rank_of(weights) > 0)
      weights = flatten(b, weights);
    weights = broadcast_to(b, weights, ir::shape_of(x));
  }
  Value counts = bincount(b, place, weights, bins);
  if (!is_density)
    return counts;
  DType dtype = promote(edge_dtype(x), float_dtype(ir::dtype_of(counts)));
  counts = cast(b, counts, wide_dtype(dtype));
  Value widths = cast(
      b, f.apply(Fn::subtract, slice_dim(b, edges, 0, 1, bins), slice_dim(b, edges, 0, 0, bins)),
      wide_dtype(dtype));
  Value total = spread(b, combine(b, counts, Fn::add, {0}), {bins}, {0});
  return cast(b, f.apply(Fn::divide, f.apply(Fn::divide, counts, widths), total), dtype);
}

Value interp(Builder& b, Value x, Value xp, Value fp, Value left, Value right) {
  require_vector(xp, "xp");
  require_vector(fp, "fp");
  Values points = promote(b, {x, xp});
  DType dtype = float_dtype(promote(ir::dtype_of(points[0]), float_dtype(ir::dtype_of(fp))));
  DType wide = wide_dtype(dtype);
  Formula f{b};
  x = cast(b, x, wide);
  Extent count = unify(b, ir::shape_of(xp)[0], ir::shape_of(fp)[0], "arguments 'xp' and 'fp'");
  require_at_most(b, 1, count, "empty-dim",
                  "argument 'xp': expected at least one point, but got none");
  xp = with_shape(b, cast(b, xp, wide), {count});
  fp = with_shape(b, cast(b, fp, wide), {count});
  Value end = extent_value(b, count - Extent(1));
  Value above = cast(b, searchsorted(b, xp, x, Side::right, {}), DType::i64);
  above = f.apply(Fn::minimum, f.apply(Fn::maximum, above, extent_value(b, 1)), end);
  Value below =
      f.apply(Fn::maximum, f.apply(Fn::subtract, above, extent_value(b, 1)), extent_value(b, 0));
  Value x0 = take(b, xp, below, 0), x1 = take(b, xp, above, 0);
  Value y0 = take(b, fp, below, 0), y1 = take(b, fp, above, 0);
  Value width = f.apply(Fn::subtract, x1, x0);
  Value slope = f.apply(Fn::divide, f.apply(Fn::subtract, y1, y0), width);
  Value line = f.apply(Fn::add, f.apply(Fn::multiply, slope, f.apply(Fn::subtract, x, x0)), y0);
  // At points, and between two of one place or of one value, nothing is rounded.
  Value flat =
      f.apply(Fn::logical_or, f.apply(Fn::equal, x, x0),
              f.apply(Fn::logical_or, f.apply(Fn::equal, width, 0.0), f.apply(Fn::equal, y0, y1)));
  Value result = f.choose(flat, y0, line);
  Value first = cell(b, xp, 0), last = take(b, xp, end, 0);
  Value low = left ? cast(b, left, wide) : cell(b, fp, 0);
  Value high = right ? cast(b, right, wide) : take(b, fp, end, 0);
  result = f.choose(f.apply(Fn::less, x, first), low, result);
  result = f.choose(f.apply(Fn::greater, x, last), high, result);
  result = f.choose(f.apply(Fn::equal, x, last), take(b, fp, end, 0), result);
  result = f.choose(f.apply(Fn::isnan, x), x, result);
  return cast(b, result, dtype);
}

} // namespace kolam::language
