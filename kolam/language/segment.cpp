// Makes scatters of rows into segments.
#include "kolam/language/segment.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/region.h"
#include "kolam/language/reshape.h"
#include "kolam/language/scatter.h"
#include "kolam/support/identity.h"

#include <limits>

namespace kolam::language {
namespace {

Fn function_of(SegmentReduction reduction) {
  switch (reduction) {
  case SegmentReduction::prod:
    return Fn::multiply;
  case SegmentReduction::min:
    return Fn::minimum;
  case SegmentReduction::max:
    return Fn::maximum;
  default:
    return Fn::add;
  }
}

/// The operand e with fn(e, x) = x, in the dtype of `like`.
Value identity_of(Builder& b, Fn fn, DType dtype) {
  if (!is_float(dtype))
    return integer_constant(b, static_cast<int64_t>(identity_bits(fn, dtype)), dtype);
  double infinity = std::numeric_limits<double>::infinity();
  double value = fn == Fn::add        ? 0.0
                 : fn == Fn::multiply ? 1.0
                 : fn == Fn::minimum  ? infinity
                                      : -infinity;
  return weak_constant(b, value, dtype);
}

/// The rows combined by fn.
Value combined(Builder& b, Value data, Value ids, const Extent& segments, Fn fn) {
  DType dtype = ir::dtype_of(data);
  Shape shape = ir::shape_of(data);
  Shape result(shape.begin() + ir::rank_of(ids), shape.end());
  result.insert(result.begin(), segments);
  Value start = broadcast_to(b, identity_of(b, fn, dtype), result);
  // [ids..., 1, row...]: a window of one row for each id.
  Value updates = expand_dims(b, data, Axes{ir::rank_of(ids)});
  if (segments == Extent(0))
    return start;
  Value indices = expand_dims(b, ids, {-1});
  ScatterSpec spec{.dims = {0}};
  LocationNote note(b, std::string(kLeavesOut));
  bool is_extreme = fn == Fn::minimum || fn == Fn::maximum;
  if (!is_extreme || is_integer(dtype)) {
    spec.combiner = fn == Fn::add        ? "kAdd"
                    : fn == Fn::multiply ? "kMul"
                    : fn == Fn::minimum  ? "kMin"
                                         : "kMax";
    return scatter(b, {start}, {updates}, indices, spec)[0];
  }
  // kMin and kMax would leave NaN out.
  auto scalar = tensor_type(b, dtype, {});
  CombinerRegion combiner{
      make_region(b, {scalar, scalar},
                  [&](const Values& v) { return Values{elementwise(b, fn, {v[0], v[1]})}; }),
      {}};
  return scatter(b, {start}, {updates}, indices, spec, std::move(combiner))[0];
}

/// `ids` under the leading extents of `data`.
Value require_ids(Builder& b, Value& data, Value ids, std::string_view argument) {
  if (!is_integer(ir::dtype_of(ids)))
    fail_argument(ErrorKind::type, "dtype-mismatch", argument, "integers", describe(ids));
  int64_t rank = ir::rank_of(ids);
  if (rank < 1 || rank > ir::rank_of(data))
    fail_argument(ErrorKind::value, "rank-mismatch", argument,
                  "from 1 to " + std::to_string(ir::rank_of(data)) + " dims, the first of 'data'",
                  describe(ids));
  Shape shape = ir::shape_of(data), of_ids = ir::shape_of(ids);
  for (int64_t dim = 0; dim < rank; ++dim)
    shape[dim] = of_ids[dim] =
        unify(b, shape[dim], of_ids[dim],
              "dim " + std::to_string(dim) + " of 'data' and '" + std::string(argument) + "'");
  data = with_shape(b, data, shape);
  return with_shape(b, ids, of_ids);
}

} // namespace

Value segment_reduce(Builder& b, Value data, Value ids, const Extent& segments,
                     SegmentReduction reduction) {
  ids = require_ids(b, data, ids, "segment_ids");
  require_shape(b, {segments});
  DType given = ir::dtype_of(data);
  Fn fn = function_of(reduction);
  if (fn == Fn::minimum || fn == Fn::maximum) {
    if (given == DType::boolean)
      fail_argument(ErrorKind::type, "dtype-mismatch", "data", "integers or floats",
                    describe(data));
    return combined(b, data, ids, segments, fn);
  }
  bool is_mean = reduction == SegmentReduction::mean;
  DType result = is_mean ? float_dtype(given) : accumulation_dtype(given, std::nullopt);
  data = cast(b, data, is_float(result) ? wide_dtype(result) : result);
  Value sums = combined(b, data, ids, segments, fn);
  if (is_mean) {
    Value counts = bincount(b, ids, {}, segments);
    Axes trailing;
    for (int64_t dim = 1; dim < ir::rank_of(sums); ++dim)
      trailing.push_back(dim);
    counts = expand_dims(b, cast(b, counts, ir::dtype_of(sums)), trailing);
    sums = elementwise(b, Fn::divide, {sums, counts});
  }
  return cast(b, sums, result);
}

Value bincount(Builder& b, Value x, Value weights, const Extent& length) {
  if (!is_integer(ir::dtype_of(x)))
    fail_argument(ErrorKind::type, "dtype-mismatch", "x", "integers", describe(x));
  require_shape(b, {length});
  if (!weights) {
    Value one = weak_constant(b, int64_t{1}, DType::i32);
    return combined(b, broadcast_to(b, one, ir::shape_of(x)), x, length, Fn::add);
  }
  x = require_ids(b, weights, x, "x");
  if (ir::rank_of(x) != ir::rank_of(weights))
    fail_argument(ErrorKind::value, "rank-mismatch", "weights", "the shape of 'x'",
                  describe(weights));
  DType result = float_dtype(ir::dtype_of(weights));
  weights = cast(b, weights, wide_dtype(result));
  return cast(b, combined(b, weights, x, length, Fn::add), result);
}

} // namespace kolam::language
