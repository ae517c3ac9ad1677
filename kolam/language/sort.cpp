// Makes sorts; the ops sort along the last dim, other axes are brought there.
#include "kolam/language/sort.h"

#include "kolam/language/broadcast.h"

#include <limits>
#include <numeric>

namespace kolam::language {
namespace {

/// `x` with `axis` and the last dim exchanged.
Value exchange_last(Builder& b, Value x, int64_t axis) {
  Shape shape = ir::shape_of(x);
  int64_t last = ir::rank_of(x) - 1;
  if (axis == last)
    return x;
  Axes permutation(shape.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[axis], permutation[last]);
  std::swap(shape[axis], shape[last]);
  return ir::TransposeOp::create(b, tensor_type(b, ir::dtype_of(x), shape), x, permutation);
}

DType place_dtype(const Extent& extent) {
  auto number = extent.constant();
  return number && *number <= std::numeric_limits<int32_t>::max() ? DType::i32 : DType::i64;
}

Sorted exchange_back(Builder& b, mlir::ResultRange results, int64_t axis) {
  return {exchange_last(b, results[0], axis), exchange_last(b, results[1], axis)};
}

void require_k(Builder& b, int64_t k, const Extent& extent) {
  std::string message = "argument 'k': expected a number from 0 to " + extent.to_string() +
                        ", but got " + std::to_string(k);
  require_at_most(b, 0, k, "k-out-of-range", message);
  require_at_most(b, k, extent, "k-out-of-range", message);
}

} // namespace

Sorted sort(Builder& b, Value x, int64_t axis, bool descending) {
  axis = normalize_axis(axis, ir::rank_of(x));
  Value rows = exchange_last(b, x, axis);
  Shape shape = ir::shape_of(rows);
  auto op = ir::SortOp::create(b, rows.getType(), tensor_type(b, place_dtype(shape.back()), shape),
                               rows, descending);
  return exchange_back(b, op->getResults(), axis);
}

Sorted top_k(Builder& b, Value x, int64_t k, int64_t axis, bool largest) {
  axis = normalize_axis(axis, ir::rank_of(x));
  Value rows = exchange_last(b, x, axis);
  Shape shape = ir::shape_of(rows);
  require_k(b, k, shape.back());
  DType places = place_dtype(shape.back());
  shape.back() = k;
  auto op = ir::TopKOp::create(b, tensor_type(b, ir::dtype_of(x), shape),
                               tensor_type(b, places, shape), rows, k, largest);
  return exchange_back(b, op->getResults(), axis);
}

} // namespace kolam::language
