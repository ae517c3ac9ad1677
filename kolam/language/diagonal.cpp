// Takes diagonals by a gather of one element for each row.
#include "kolam/language/diagonal.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"
#include "kolam/language/take.h"
#include "kolam/language/transpose.h"

#include <algorithm>

namespace kolam::language {
namespace {

/// A diagonal further off is as empty as this one, and this one never overflows.
constexpr int64_t kFar = int64_t{1} << 40;

/// The order of all dims with `last` behind the others.
Value with_dims_last(Builder& b, Value x, const Axes& last) {
  Axes order;
  for (int64_t dim = 0; dim < ir::rank_of(x); ++dim)
    if (!llvm::is_contained(last, dim))
      order.push_back(dim);
  order.insert(order.end(), last.begin(), last.end());
  return permute_dims(b, x, order);
}

} // namespace

Value diagonal(Builder& b, Value x, int64_t k, int64_t dim1, int64_t dim2) {
  int64_t rank = ir::rank_of(x);
  if (rank < 2)
    fail_argument(ErrorKind::value, "rank-mismatch", "x", "rank 2 or more", describe(x));
  dim1 = normalize_axis(dim1, rank, "axis1");
  dim2 = normalize_axis(dim2, rank, "axis2");
  if (dim1 == dim2)
    fail_argument(ErrorKind::value, "duplicate-axis", "axis2", "another dim than 'axis1'",
                  std::to_string(dim2));
  k = std::clamp(k, -kFar, kFar);
  Value matrices = with_dims_last(b, x, {dim1, dim2});
  Shape shape = ir::shape_of(matrices);
  Extent n = shape[rank - 2], m = shape[rank - 1];
  Extent down = k < 0 ? -k : 0, right = k > 0 ? k : 0;
  Extent count = max(min(n - down, m - right), 0);
  if (count == Extent(0)) {
    shape.resize(rank - 2);
    shape.push_back(0);
    return without_cells(b, ir::dtype_of(x), shape);
  }
  matrices = slice_dim(b, matrices, rank - 2, down, count);
  matrices = slice_dim(b, matrices, rank - 1, right, count);
  Shape places(rank, Extent(1));
  places[rank - 2] = count;
  Value column = iota(b, places, rank - 2, DType::i64);
  return squeeze(b, take_along_axis(b, matrices, column, -1), Axes{rank - 1});
}

Value diagonal_matrix(Builder& b, Value x, int64_t k) {
  if (ir::rank_of(x) != 1)
    fail_argument(ErrorKind::value, "rank-mismatch", "x", "rank 1 or 2", describe(x));
  if (k < -kFar || k > kFar)
    fail_argument(ErrorKind::value, "extent-overflow", "k",
                  "a diagonal of a matrix that can be held", std::to_string(k));
  Extent count = ir::shape_of(x)[0], extent = count + Extent(std::abs(k));
  DType dtype = index_dtype({extent});
  Value row = iota(b, {extent, extent}, 0, dtype), column = iota(b, {extent, extent}, 1, dtype);
  Value on_diagonal = elementwise(
      b, Fn::equal, {column, elementwise(b, Fn::add, {row, integer_constant(b, k, dtype)})});
  Value zero = cast(b, weak_constant(b, false, DType::boolean), ir::dtype_of(x));
  // Element (i, i + k) is x[i] for k >= 0, element (i - k, i) is x[i] for k < 0: x along the
  // columns from k, or from 0 on.
  Shape before{Extent(std::max<int64_t>(k, 0))}, behind{Extent(std::max<int64_t>(-k, 0))};
  Value line = x;
  if (k != 0) {
    Values parts;
    if (k > 0)
      parts.push_back(broadcast_to(b, zero, before));
    parts.push_back(x);
    if (k < 0)
      parts.push_back(broadcast_to(b, zero, behind));
    line = ir::ConcatOp::create(b, tensor_type(b, ir::dtype_of(x), {extent}), parts,
                                b.getI64IntegerAttr(0));
  }
  return elementwise(b, Fn::where, {on_diagonal, broadcast_to(b, line, {extent, extent}), zero});
}

Value trace(Builder& b, Value x, int64_t k, int64_t dim1, int64_t dim2,
            std::optional<DType> dtype) {
  Value cells = diagonal(b, x, k, dim1, dim2);
  return accumulate(b, cells, Fn::add, {ir::rank_of(cells) - 1}, dtype);
}

} // namespace kolam::language
