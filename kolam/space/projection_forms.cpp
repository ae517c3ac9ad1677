// Builds the named projections.
#include "kolam/space/projection_forms.h"

#include <algorithm>

#include "kolam/space/exact.h"

namespace kolam::space {
namespace {

AffineMap zero_map(int index_rank, const Shape& offset) {
  return affine_map(index_rank, Matrix(offset.size(), std::vector<int64_t>(index_rank, 0)), offset);
}

[[noreturn]] void fail_broadcast(const Shape& from, const Shape& to) {
  fail(ErrorKind::value, "space-broadcast",
       "expected a shape that broadcasts to " + kolam::to_string(to) + ", but got " +
           kolam::to_string(from));
}

} // namespace

Projection identity(int rank) { return projection(identity_map(rank), Shape(rank, 1)); }

Projection fixed(int index_rank, const Shape& start, const Shape& size) {
  return projection(zero_map(index_rank, start), size);
}

Projection strided(const std::vector<int64_t>& steps, const Shape& starts) {
  int rank = static_cast<int>(steps.size());
  check_rank(static_cast<int64_t>(starts.size()), rank, "the starts");
  AffineMap map = zero_map(rank, starts);
  for (int d = 0; d < rank; ++d)
    map.rows[d].coefficients[d] = steps[d];
  return projection(std::move(map), Shape(rank, 1));
}

Projection reversed(const Shape& tensor_shape, const std::vector<int>& dims) {
  Projection result = identity(static_cast<int>(tensor_shape.size()));
  std::vector<int> distinct = dims;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (int dim : distinct) {
    if (dim < 0 || dim >= result.index_rank())
      fail(ErrorKind::index, "space-rank",
           "expected a dim below " + std::to_string(result.index_rank()) + ", but got " +
               std::to_string(dim));
    result = reverse_index(result, dim, tensor_shape[dim]);
  }
  return result;
}

Projection axial(int index_rank, const std::vector<int>& index_dims, const Shape& tensor_shape) {
  int rank = static_cast<int>(tensor_shape.size());
  check_rank(static_cast<int64_t>(index_dims.size()), rank, "the tensor's dims");
  Projection result = fixed(index_rank, Shape(rank, 0), tensor_shape);
  for (int k = 0; k < rank; ++k) {
    if (index_dims[k] == kWhole)
      continue;
    if (index_dims[k] < 0 || index_dims[k] >= index_rank)
      fail(ErrorKind::index, "space-rank",
           "expected an index dim below " + std::to_string(index_rank) + ", but got " +
               std::to_string(index_dims[k]));
    result.map.rows[k].coefficients[index_dims[k]] = 1;
    result.size[k] = 1;
  }
  return result;
}

Projection window(const std::vector<WindowDim>& dims) {
  std::vector<int64_t> strides;
  Shape starts, sizes;
  for (const WindowDim& dim : dims) {
    if (dim.stride < 1 || dim.dilation < 1)
      fail(ErrorKind::value, "space-window",
           "expected stride and dilation >= 1, but got " + std::to_string(dim.stride) + " and " +
               std::to_string(dim.dilation));
    strides.push_back(dim.stride);
    starts.push_back(dim.centre * (-dim.dilation));
    bool nothing = dim.kernel == Extent(0);
    sizes.push_back(nothing ? Extent(0) : (dim.kernel - 1) * dim.dilation + 1);
  }
  Projection result = strided(strides, starts);
  result.size = std::move(sizes);
  check_projection(result);
  return result;
}

Projection broadcast(const Shape& index_shape, const Shape& tensor_shape) {
  int rank = static_cast<int>(tensor_shape.size());
  int extra = static_cast<int>(index_shape.size()) - rank;
  if (extra < 0)
    fail_broadcast(tensor_shape, index_shape);
  Projection result =
      projection(zero_map(static_cast<int>(index_shape.size()), Shape(rank, 0)), Shape(rank, 1));
  for (int k = 0; k < rank; ++k) {
    if (tensor_shape[k] == index_shape[extra + k])
      result.map.rows[k].coefficients[extra + k] = tensor_shape[k] == Extent(1) ? 0 : 1;
    else if (!(tensor_shape[k] == Extent(1)))
      fail_broadcast(tensor_shape, index_shape);
  }
  return result;
}

Shape broadcast_shape(const std::vector<Shape>& shapes) {
  Shape result;
  for (const Shape& shape : shapes) {
    if (shape.size() > result.size())
      result.insert(result.begin(), shape.size() - result.size(), 1);
    size_t extra = result.size() - shape.size();
    for (size_t k = 0; k < shape.size(); ++k) {
      if (result[extra + k] == Extent(1))
        result[extra + k] = shape[k];
      else if (!(shape[k] == result[extra + k]) && !(shape[k] == Extent(1)))
        fail_broadcast(shape, result);
    }
  }
  return result;
}

} // namespace kolam::space
