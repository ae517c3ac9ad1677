// What plans' parts say of themselves.
#include "kolam/plan/plan.h"

#include "kolam/support/checked.h"

namespace kolam::plans {

Box Boxes::at(const Point& point) const {
  Point first(start.size()), last(start.size());
  for (size_t dim = 0; dim < start.size(); ++dim) {
    first[dim] = start[dim].at(point);
    last[dim] = first[dim] + extent[dim];
  }
  return {std::move(first), std::move(last)};
}

int64_t block_bytes(const Tensor& tensor, const Box& box) {
  int64_t bytes = byte_width(tensor.dtype);
  for (int dim = tensor.partial_of >= 0 ? 1 : 0; dim < box.rank(); ++dim)
    bytes = checked_mul(bytes, box.extent(dim), "plan-overflow");
  return bytes;
}

} // namespace kolam::plans
