// Composes attention of contractions and a softmax.
#include "kolam/language/attention.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/einsum.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/labelled.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"

#include <cmath>

namespace kolam::language {
namespace {

void require_matrix(Value x, std::string_view argument) {
  if (ir::rank_of(x) < 2)
    fail_argument(ErrorKind::value, "rank-mismatch", argument, "rank 2 or more", describe(x));
}

/// The extents of dims `x_dim` and `y_dim`, counted from the last, must be one.
void require_equal(Builder& b, Value x, int64_t x_dim, Value y, int64_t y_dim) {
  Shape xs = ir::shape_of(x), ys = ir::shape_of(y);
  unify(b, xs[xs.size() - x_dim], ys[ys.size() - y_dim],
        "dim -" + std::to_string(x_dim) + " of " + describe(x) + " and dim -" +
            std::to_string(y_dim) + " of " + describe(y));
}

/// Cells where `kept` is false become minus infinity.
Value keep(Builder& b, Value kept, Value scores) {
  Value never = weak_constant(b, -std::numeric_limits<double>::infinity(), ir::dtype_of(scores));
  return elementwise(b, Fn::where, {kept, scores, never});
}

Value mask_scores(Builder& b, Value scores, const Attention& options) {
  if (options.mask) {
    DType dtype = ir::dtype_of(options.mask);
    if (is_integer(dtype))
      fail_argument(ErrorKind::type, "dtype-mismatch", "mask", "booleans or floats",
                    describe(options.mask));
    scores = dtype == DType::boolean
                 ? keep(b, options.mask, scores)
                 : elementwise(b, Fn::add, {scores, cast(b, options.mask, ir::dtype_of(scores))});
  }
  if (!options.causal)
    return scores;
  Shape shape = ir::shape_of(scores);
  Shape last(shape.end() - 2, shape.end());
  DType index = index_dtype(last);
  Value query = iota(b, last, 0, index), key = iota(b, last, 1, index);
  return keep(b, elementwise(b, Fn::less_equal, {key, query}), scores);
}

/// exp(x - max(x)) / sum(exp(x - max(x))) over the last dim.
Value softmax_last(Builder& b, Value x) {
  Shape shape = ir::shape_of(x);
  Axes last{ir::rank_of(x) - 1};
  Value highest = spread(b, combine(b, x, Fn::maximum, last), shape, last);
  Value powers = elementwise(b, Fn::exp, {elementwise(b, Fn::subtract, {x, highest})});
  Value sum = spread(b, combine(b, powers, Fn::add, last), shape, last);
  return elementwise(b, Fn::divide, {powers, sum});
}

/// 1 / sqrt(d), rounded after each of the two.
Value default_scale(Builder& b, const Extent& d, DType dtype) {
  Value root = elementwise(b, Fn::sqrt, {cast(b, extent_value(b, d), dtype)});
  return elementwise(b, Fn::divide, {weak_constant(b, 1.0, dtype), root});
}

} // namespace

Value attention(Builder& b, Value q, Value k, Value v, const Attention& options) {
  require_matrix(q, "q");
  require_matrix(k, "k");
  require_matrix(v, "v");
  require_equal(b, q, 1, k, 1);
  require_equal(b, k, 2, v, 2);
  Values operands = promote_numbers(b, {q, k, v});
  DType dtype = float_dtype(ir::dtype_of(operands[0])), wide = wide_dtype(dtype);
  for (Value& operand : operands)
    operand = cast(b, operand, dtype);

  Value scores = einsum(b, "...sd,...td->...st", {operands[0], operands[1]}, wide);
  Value scale = options.scale ? weak_constant(b, *options.scale, wide)
                              : default_scale(b, ir::shape_of(q).back(), wide);
  scores = elementwise(b, Fn::multiply, {scores, scale});
  Value weights = softmax_last(b, mask_scores(b, scores, options));
  return cast(b, einsum(b, "...st,...te->...se", {weights, operands[2]}), dtype);
}

} // namespace kolam::language
