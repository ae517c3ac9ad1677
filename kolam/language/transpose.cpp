// Makes transposes.
#include "kolam/language/transpose.h"

#include <numeric>

namespace kolam::language {
namespace {

/// Axes counted from the front, in the given order, each at most once.
Axes normalize_in_order(const Axes& axes, int64_t rank, std::string_view argument) {
  normalize_axes(axes, rank, argument);
  Axes result;
  for (int64_t axis : axes)
    result.push_back(normalize_axis(axis, rank, argument));
  return result;
}

} // namespace

Value permute_dims(Builder& b, Value x, const Axes& axes) {
  Shape from = ir::shape_of(x), to;
  if (axes.size() != from.size())
    fail_argument(ErrorKind::value, "rank-mismatch", "axes", std::to_string(from.size()) + " axes",
                  std::to_string(axes.size()));
  Axes permutation = normalize_in_order(axes, ir::rank_of(x), "axes");
  if (llvm::is_sorted(permutation))
    return x;
  for (int64_t dim : permutation)
    to.push_back(from[dim]);
  return ir::TransposeOp::create(b, tensor_type(b, ir::dtype_of(x), to), x, permutation);
}

Value matrix_transpose(Builder& b, Value x) {
  int64_t rank = ir::rank_of(x);
  if (rank < 2)
    fail_argument(ErrorKind::value, "rank-mismatch", "x", "rank 2 or more", describe(x));
  Axes axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[rank - 1], axes[rank - 2]);
  return permute_dims(b, x, axes);
}

Value moveaxis(Builder& b, Value x, const Axes& source, const Axes& destination) {
  int64_t rank = ir::rank_of(x);
  if (source.size() != destination.size())
    fail_argument(ErrorKind::value, "rank-mismatch", "destination",
                  "as many axes as in 'source', " + std::to_string(source.size()),
                  std::to_string(destination.size()));
  Axes from = normalize_in_order(source, rank, "source");
  Axes to = normalize_in_order(destination, rank, "destination");
  Axes axes(rank, -1);
  for (size_t i = 0; i < from.size(); ++i)
    axes[to[i]] = from[i];
  int64_t next = 0;
  for (int64_t& axis : axes) {
    if (axis >= 0)
      continue;
    while (llvm::is_contained(from, next))
      ++next;
    axis = next++;
  }
  return permute_dims(b, x, axes);
}

Value swapaxes(Builder& b, Value x, int64_t axis1, int64_t axis2) {
  int64_t rank = ir::rank_of(x);
  Axes axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[normalize_axis(axis1, rank, "axis1")], axes[normalize_axis(axis2, rank, "axis2")]);
  return permute_dims(b, x, axes);
}

} // namespace kolam::language
