// Shapes of Jacobians.
#include "kolam/frontend/array/jacobians.h"

#include "kolam/frontend/array/rearrange.h"

namespace kolam::detail {

Shape joined_shape(const Tensor& x, const Tensor& y) {
  Shape shape = x.shape();
  const Shape behind = y.shape();
  shape.insert(shape.end(), behind.begin(), behind.end());
  return shape;
}

Tensor basis_of(const Tensor& x) {
  const Shape own = x.shape();
  Shape shape = own;
  const Extent count = element_count(own);
  shape.insert(shape.begin(), count);
  return reshape(eye(count, {}, 0, x.dtype()), shape);
}

Tensor columns_to_jacobian(const Tensor& columns, const Tensor& y, const Tensor& x) {
  return reshape(moveaxis(columns, {0}, {-1}), joined_shape(y, x));
}

} // namespace kolam::detail
