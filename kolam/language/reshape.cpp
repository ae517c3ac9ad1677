// Makes reshapes, and adds and removes dims of extent 1.
#include "kolam/language/reshape.h"

#include "kolam/language/broadcast.h"

namespace kolam::language {

Value reshape(Builder& b, Value x, Shape shape) {
  Shape from = ir::shape_of(x);
  Extent count = element_count(from), known = 1;
  std::optional<size_t> open;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    auto number = shape[dim].constant();
    if (!number || *number >= 0) {
      known = known * shape[dim];
      continue;
    }
    if (*number < -1 || open)
      fail_argument(ErrorKind::value, "shape-mismatch", "shape",
                    "extents from 0 and at most one -1", to_string(shape));
    open = dim;
  }
  Shape to = shape;
  if (open) {
    if (known == Extent(0))
      fail_argument(ErrorKind::value, "shape-mismatch", "shape", "no extent 0 beside -1",
                    to_string(shape));
    to[*open] = floordiv(count, known);
    known = known * to[*open];
  }
  if (known != count) {
    std::string expected = "a shape of " + count.to_string() + " elements";
    if (known.is_constant() && count.is_constant())
      fail_argument(ErrorKind::value, "shape-mismatch", "shape", expected, to_string(shape));
    check_equal(b, known, count, "shape-mismatch",
                "argument 'shape': expected " + expected + ", but got " + to_string(shape));
  }
  return with_shape(b, x, to);
}

Value flatten(Builder& b, Value x) { return reshape(b, x, {Extent(-1)}); }

Value expand_dims(Builder& b, Value x, const Axes& axes) {
  Shape shape = ir::shape_of(x);
  Axes dims = normalize_axes(axes, static_cast<int64_t>(shape.size() + axes.size()));
  if (dims.empty())
    return x;
  for (int64_t dim : dims)
    shape.insert(shape.begin() + dim, Extent(1));
  return ir::ExpandDimsOp::create(b, tensor_type(b, ir::dtype_of(x), shape), x, dims);
}

Value squeeze(Builder& b, Value x, const std::optional<Axes>& axes) {
  Shape shape = ir::shape_of(x);
  Axes dims;
  if (axes)
    dims = normalize_axes(*axes, ir::rank_of(x));
  else
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (shape[dim] == Extent(1))
        dims.push_back(static_cast<int64_t>(dim));
  if (dims.empty())
    return x;
  for (int64_t dim : dims) {
    if (shape[dim] == Extent(1))
      continue;
    std::string actual = "extent " + shape[dim].to_string() + " in dim " + std::to_string(dim);
    if (shape[dim].is_constant())
      fail_argument(ErrorKind::value, "shape-mismatch", "axis", "dims of extent 1", actual);
    check_equal(b, shape[dim], 1, "shape-mismatch",
                "argument 'axis': expected dims of extent 1, but got " + actual);
    shape[dim] = 1;
  }
  x = with_shape(b, x, shape);
  for (int64_t dim : llvm::reverse(dims))
    shape.erase(shape.begin() + dim);
  return ir::SqueezeOp::create(b, tensor_type(b, ir::dtype_of(x), shape), x, dims);
}

} // namespace kolam::language
