// Writes rearrangements over other array functions.
#include "kolam/frontend/array/rearrange.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/index.h"
#include "kolam/frontend/array/shape.h"
#include "kolam/support/axis.h"

#include <algorithm>

namespace kolam {
namespace {

using Tensors = std::vector<Tensor>;

Tensor turned(const Tensor& x, int64_t quarters, const Axes& axes) {
  if (x.rank() < 2)
    fail(ErrorKind::value, "rank-mismatch",
         "argument 'x': expected rank 2 or more, but got shape " + to_string(x.shape()));
  if (axes.values().size() != 2)
    fail(ErrorKind::value, "rank-mismatch",
         "argument 'axes': expected two dims, but got " + std::to_string(axes.values().size()));
  const int64_t first = normalize_axis(axes.values()[0], x.rank(), "axes");
  const int64_t second = normalize_axis(axes.values()[1], x.rank(), "axes");
  if (first == second)
    fail(ErrorKind::value, "duplicate-axis",
         "argument 'axes': expected two dims, but got " + std::to_string(first) + " twice");
  std::vector<int64_t> order;
  for (int64_t d = 0; d < x.rank(); ++d)
    order.push_back(d == first ? second : d == second ? first : d);
  switch ((quarters % 4 + 4) % 4) {
  case 1:
    return permute_dims(flip(x, second), order);
  case 2:
    return flip(x, {first, second});
  case 3:
    return flip(permute_dims(x, order), second);
  default:
    return x;
  }
}

/// i of a row-major place, for the last dim first.
Tensors unravelled(const Tensor& given, const std::vector<int64_t>& shape) {
  if (!is_integer(given.dtype()))
    fail(ErrorKind::type, "dtype-mismatch",
         "argument 'indices': expected integers, but got " + std::string(name(given.dtype())));
  const int64_t total = runtime::checked_size(DType::u8, shape);
  Tensor place = astype(given, DType::i64);
  place = where(less(place, 0), place + total, place);
  place = minimum(maximum(place, 0), std::max<int64_t>(total - 1, 0));
  Tensors parts;
  for (size_t k = shape.size(); k-- > 0;) {
    parts.push_back(astype(remainder(place, shape[k]), given.dtype()));
    place = floor_divide(place, shape[k]);
  }
  std::ranges::reverse(parts);
  return parts;
}

} // namespace

Tensor atleast_3d(const Operand& x) {
  return apply_composite("atleast_3d", {x}, [](const Tensors& v) {
    return Tensors{v[0].rank() > 2 ? v[0] : expand_dims(atleast_2d(v[0]), 2)};
  })[0];
}

Tensor ravel(const Operand& x) {
  return apply_composite("ravel", {x},
                         [](const Tensors& v) { return Tensors{reshape(v[0], {-1})}; })[0];
}

Tensor rot90(const Operand& x, int64_t k, const Axes& axes) {
  return apply_composite("rot90", {x},
                         [&](const Tensors& v) { return Tensors{turned(v[0], k, axes)}; })[0];
}

Tensor tri(const Extent& n, std::optional<Extent> m, int64_t k, DType dtype,
           std::source_location here) {
  CallScope scope("tri", user_line(here));
  return apply_composite("tri", {}, [&](const Tensors&) {
    const Tensor columns = arange(m.value_or(n), DType::i64);
    const Tensor rows = expand_dims(arange(n, DType::i64), 1) + k;
    return Tensors{astype(less_equal(columns, rows), dtype)};
  })[0];
}

std::vector<Tensor> unravel_index(const Operand& indices, const std::vector<int64_t>& shape) {
  return apply_composite("unravel_index", {indices},
                         [&](const Tensors& v) { return unravelled(v[0], shape); });
}

std::pair<Tensor, Tensor> divmod(const Operand& x, const Operand& y) {
  const Tensors both = apply_composite("divmod", {x, y}, [](const Tensors& v) {
    return Tensors{floor_divide(v[0], v[1]), remainder(v[0], v[1])};
  });
  return {both[0], both[1]};
}

} // namespace kolam
