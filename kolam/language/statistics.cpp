// Composes weighted means and covariances.
#include "kolam/language/statistics.h"

#include "kolam/language/contract.h"
#include "kolam/language/diagonal.h"
#include "kolam/language/formula.h"
#include "kolam/language/reshape.h"
#include "kolam/language/transpose.h"
#include "kolam/language/zip_map_reduce.h"

#include <numeric>

namespace kolam::language {
namespace {

/// Weights under the dims `dims` of a value of `shape`.
Value spread_weights(Builder& b, Value weights, const Shape& shape, const Axes& dims) {
  if (ir::rank_of(weights) == static_cast<int64_t>(shape.size()))
    return broadcast_to(b, weights, shape);
  Shape expected;
  for (int64_t dim : dims)
    expected.push_back(shape[dim]);
  if (ir::rank_of(weights) != static_cast<int64_t>(expected.size()))
    fail_argument(ErrorKind::value, "shape-mismatch", "weights",
                  "the shape of 'x' or of its reduced dims, " + to_string(expected),
                  describe(weights));
  Axes others;
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim)
    if (!llvm::is_contained(dims, dim))
      others.push_back(dim);
  return broadcast_to(b, expand_dims(b, weights, others), shape);
}

Value wide_covariance(Builder& b, Value x, double correction) {
  Formula f{b};
  int64_t rank = ir::rank_of(x);
  if (rank > 2)
    fail_argument(ErrorKind::value, "rank-mismatch", "x", "rank 1 or 2", describe(x));
  if (rank == 0)
    x = expand_dims(b, x, Axes{0});
  if (rank < 2)
    x = expand_dims(b, x, Axes{0});
  Shape shape = ir::shape_of(x);
  Value centre = divide_by_count(b, combine(b, x, Fn::add, {1}), shape[1]);
  Value centred = f.apply(Fn::subtract, x, spread(b, centre, shape, {1}));
  Value products = matmul(b, centred, matrix_transpose(b, centred));
  return divide_by_count(b, products, shape[1], correction);
}

Value wide(Builder& b, Value x) { return cast(b, x, wide_dtype(float_dtype(ir::dtype_of(x)))); }

} // namespace

Value peak_to_peak(Builder& b, Value x, const Axes& dims) {
  Value most = extreme(b, x, Fn::maximum, dims), least = extreme(b, x, Fn::minimum, dims);
  return elementwise(b, Fn::subtract, {most, least});
}

Value average(Builder& b, Value x, Value weights, const Axes& dims) {
  DType dtype = float_dtype(ir::dtype_of(x));
  Shape shape = ir::shape_of(x);
  if (!weights)
    return mean(b, x, dims);
  Value all = spread_weights(b, weights, shape, dims);
  dtype = float_dtype(promote(dtype, float_dtype(ir::dtype_of(weights))));
  x = cast(b, x, wide_dtype(dtype));
  all = cast(b, all, wide_dtype(dtype));
  Value sum = combine(b, elementwise(b, Fn::multiply, {x, all}), Fn::add, dims);
  Value weight = combine(b, all, Fn::add, dims);
  return cast(b, elementwise(b, Fn::divide, {sum, weight}), dtype);
}

Value covariance(Builder& b, Value x, double correction) {
  Value result = wide_covariance(b, wide(b, x), correction);
  if (ir::rank_of(x) < 2)
    result = squeeze(b, result, Axes{0, 1});
  return cast(b, result, float_dtype(ir::dtype_of(x)));
}

Value correlation(Builder& b, Value x) {
  DType dtype = float_dtype(ir::dtype_of(x));
  Value result = wide_covariance(b, wide(b, x), 1);
  Formula f{b};
  Shape shape = ir::shape_of(result);
  Value root = f.apply(Fn::sqrt, diagonal(b, result, 0, 0, 1));
  result = f.apply(Fn::divide, result, spread(b, root, shape, {1}));
  result = f.apply(Fn::divide, result, spread(b, root, shape, {0}));
  result = f.apply(Fn::minimum, f.apply(Fn::maximum, result, -1.0), 1.0);
  if (ir::rank_of(x) < 2)
    result = squeeze(b, result, Axes{0, 1});
  return cast(b, result, dtype);
}

} // namespace kolam::language
