// Writes products over other array functions.
#include "kolam/frontend/array/products.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/index.h"
#include "kolam/frontend/array/shape.h"
#include "kolam/support/axis.h"

#include <algorithm>

namespace kolam {
namespace {

using Tensors = std::vector<Tensor>;

/// Element i of the last dim.
Tensor part(const Tensor& x, int64_t i) { return index(x, {ellipsis, i}); }

Tensor cross_of(const Tensor& given_x, const Tensor& given_y, int64_t axis) {
  const Tensors both = broadcast_arrays({given_x, given_y});
  const int64_t rank = both[0].rank();
  if (rank == 0)
    fail(ErrorKind::value, "rank-mismatch",
         "argument 'x': expected rank 1 or more, but got shape []");
  const int64_t place = normalize_axis(axis, rank);
  const Tensor x = moveaxis(both[0], place, -1), y = moveaxis(both[1], place, -1);
  if (const Extent extent = x.extent(-1); !(extent == Extent(3)))
    fail(ErrorKind::value, "shape-mismatch",
         "expected 3 elements along axis " + std::to_string(axis) + ", but got " +
             extent.to_string());
  const Tensor a = part(x, 0), b = part(x, 1), c = part(x, 2);
  const Tensor d = part(y, 0), e = part(y, 1), f = part(y, 2);
  return stack({b * f - c * e, c * d - a * f, a * e - b * d}, place);
}

Tensor kron_of(const Tensor& x, const Tensor& y) {
  Shape of_x = x.shape(), of_y = y.shape();
  const size_t rank = std::max(of_x.size(), of_y.size());
  of_x.insert(of_x.begin(), rank - of_x.size(), Extent(1));
  of_y.insert(of_y.begin(), rank - of_y.size(), Extent(1));
  Shape apart_x, apart_y, result;
  for (size_t k = 0; k < rank; ++k) {
    apart_x.insert(apart_x.end(), {of_x[k], Extent(1)});
    apart_y.insert(apart_y.end(), {Extent(1), of_y[k]});
    result.push_back(of_x[k] * of_y[k]);
  }
  return reshape(reshape(x, apart_x) * reshape(y, apart_y), result);
}

} // namespace

Tensor cross(const Operand& x, const Operand& y, int64_t axis) {
  return apply_composite("cross", {x, y},
                         [&](const Tensors& v) { return Tensors{cross_of(v[0], v[1], axis)}; })[0];
}

Tensor kron(const Operand& x, const Operand& y) {
  return apply_composite("kron", {x, y},
                         [](const Tensors& v) { return Tensors{kron_of(v[0], v[1])}; })[0];
}

} // namespace kolam
