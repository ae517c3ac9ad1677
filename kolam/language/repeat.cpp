// Repeats by broadcasts between reshapes, rolls by joining two slices.
#include "kolam/language/repeat.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"
#include "kolam/language/take.h"

namespace kolam::language {
namespace {

void require_count(int64_t count, std::string_view argument) {
  if (count < 0)
    fail_argument(ErrorKind::value, "negative-count", argument, "0 or more", std::to_string(count));
}

Value broadcast_dims(Builder& b, Value x, const Shape& shape, llvm::ArrayRef<int64_t> dims) {
  return ir::BroadcastOp::create(b, tensor_type(b, ir::dtype_of(x), shape), x, dims);
}

/// shift mod n in [0, n), and 0 for n = 0.
Extent rotation(int64_t shift, const Extent& n) {
  if (auto number = n.constant())
    return *number == 0 ? 0 : (shift % *number + *number) % *number;
  Extent remainder = Extent(shift) - n * floordiv(shift, n);
  return max(min(remainder, n), 0);
}

Value roll_dim(Builder& b, Value x, int64_t shift, int64_t dim) {
  Extent n = ir::shape_of(x)[dim];
  Extent turned = rotation(shift, n);
  if (turned == Extent(0))
    return x;
  Extent rest = n - turned;
  return concat(b, {slice_dim(b, x, dim, rest, turned), slice_dim(b, x, dim, 0, rest)}, dim);
}

} // namespace

Value tile(Builder& b, Value x, std::vector<int64_t> repetitions) {
  for (int64_t count : repetitions)
    require_count(count, "repetitions");
  Shape from = ir::shape_of(x);
  size_t rank = std::max(from.size(), repetitions.size());
  repetitions.insert(repetitions.begin(), rank - repetitions.size(), 1);
  // [d0, d1] to [r0, d0, r1, d1] to [r0 d0, r1 d1]
  Shape apart, to;
  llvm::SmallVector<int64_t> dims;
  for (size_t dim = 0; dim < rank; ++dim) {
    Extent count = repetitions[dim];
    bool is_new = dim < rank - from.size();
    Extent extent = is_new ? Extent(1) : from[dim - (rank - from.size())];
    apart.push_back(count);
    if (!is_new) {
      dims.push_back(static_cast<int64_t>(apart.size()));
      apart.push_back(extent);
    }
    to.push_back(count * extent);
  }
  if (to == from)
    return x;
  return with_shape(b, broadcast_dims(b, x, apart, dims), to);
}

Value repeat(Builder& b, Value x, int64_t count, std::optional<int64_t> axis) {
  require_count(count, "repeats");
  if (!axis)
    x = flatten(b, x);
  int64_t dim = normalize_axis(axis.value_or(0), ir::rank_of(x));
  if (count == 1)
    return x;
  Shape shape = ir::shape_of(x), apart = shape;
  apart.insert(apart.begin() + dim + 1, Extent(count));
  llvm::SmallVector<int64_t> dims;
  for (int64_t d = 0; d < ir::rank_of(x); ++d)
    dims.push_back(d <= dim ? d : d + 1);
  shape[dim] = shape[dim] * Extent(count);
  return with_shape(b, broadcast_dims(b, x, apart, dims), shape);
}

Value repeat(Builder& b, Value x, Value places, int64_t count, std::optional<int64_t> axis) {
  if (!axis)
    x = flatten(b, x);
  int64_t dim = normalize_axis(axis.value_or(0), ir::rank_of(x));
  Shape shape = ir::shape_of(x);
  shape[dim] =
      unify(b, shape[dim], count,
            "argument 'repeats', one count for each element along axis " + std::to_string(dim));
  return take(b, with_shape(b, x, shape), places, dim);
}

Value roll(Builder& b, Value x, const std::vector<int64_t>& shifts,
           const std::optional<Axes>& axes) {
  if (!axes) {
    Value flat = flatten(b, x);
    for (int64_t shift : shifts)
      flat = roll_dim(b, flat, shift, 0);
    return with_shape(b, flat, ir::shape_of(x));
  }
  if (shifts.size() != 1 && shifts.size() != axes->size())
    fail_argument(ErrorKind::value, "rank-mismatch", "shift",
                  "one shift or " + std::to_string(axes->size()), std::to_string(shifts.size()));
  for (size_t i = 0; i < axes->size(); ++i)
    x = roll_dim(b, x, shifts[shifts.size() == 1 ? 0 : i],
                 normalize_axis((*axes)[i], ir::rank_of(x)));
  return x;
}

} // namespace kolam::language
