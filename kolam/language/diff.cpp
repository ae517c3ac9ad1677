// Subtracts slices.
#include "kolam/language/diff.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/slice.h"

namespace kolam::language {
namespace {

/// A scalar as one element along `axis` beside `x`.
Value beside(Builder& b, Value value, Value x, int64_t axis) {
  if (ir::rank_of(value) != 0)
    return value;
  Shape shape = ir::shape_of(x);
  shape[axis] = 1;
  return broadcast_to(b, value, shape);
}

} // namespace

Value diff(Builder& b, Value x, int64_t n, int64_t axis, Value prepend, Value append) {
  if (ir::rank_of(x) == 0)
    fail_argument(ErrorKind::value, "rank-mismatch", "x", "at least 1 dim", describe(x));
  axis = normalize_axis(axis, ir::rank_of(x));
  if (n < 0)
    fail_argument(ErrorKind::value, "negative-count", "n", "0 or more", std::to_string(n));
  Values parts{x};
  if (prepend)
    parts.insert(parts.begin(), beside(b, prepend, x, axis));
  if (append)
    parts.push_back(beside(b, append, x, axis));
  if (parts.size() > 1)
    x = concat(b, parts, axis);
  Fn fn = ir::dtype_of(x) == DType::boolean ? Fn::not_equal : Fn::subtract;
  // Of an empty dim nothing is left to take further differences of.
  for (int64_t i = 0; i < n && ir::shape_of(x)[axis] != Extent(0); ++i) {
    Extent extent = ir::shape_of(x)[axis], less = max(extent - Extent(1), 0);
    x = elementwise(b, fn,
                    {slice_dim(b, x, axis, extent - less, less), slice_dim(b, x, axis, 0, less)});
  }
  return x;
}

} // namespace kolam::language
