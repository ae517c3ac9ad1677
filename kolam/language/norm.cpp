// Composes norms.
#include "kolam/language/norm.h"

#include "kolam/language/formula.h"
#include "kolam/language/reduction.h"

#include <cmath>

namespace kolam::language {

Value vector_norm(Builder& b, Value x, const Axes& dims, double order) {
  DType dtype = float_dtype(ir::dtype_of(x));
  Formula f{b};
  x = cast(b, x, wide_dtype(dtype));
  auto sum = [&](Value value) { return combine(b, value, Fn::add, dims); };
  Value size = f.apply(Fn::abs, x), result;
  if (std::isinf(order))
    result = extreme(b, size, order > 0 ? Fn::maximum : Fn::minimum, dims);
  else if (order == 0)
    result = sum(cast(b, f.apply(Fn::not_equal, x, 0.0), ir::dtype_of(x)));
  else if (order == 1)
    result = sum(size);
  else if (order == 2)
    result = f.apply(Fn::sqrt, sum(f.apply(Fn::square, x)));
  else
    result = f.apply(Fn::pow, sum(f.apply(Fn::pow, size, order)), 1 / order);
  return cast(b, result, dtype);
}

Value matrix_norm(Builder& b, Value x, int64_t rows, int64_t columns, double order) {
  if (std::abs(order) != 1 && !std::isinf(order))
    fail_argument(ErrorKind::value, "bad-option", "ord",
                  "None, 'fro', 1, -1, inf or -inf for matrices; singular values come with linear "
                  "algebra",
                  std::to_string(order));
  DType dtype = float_dtype(ir::dtype_of(x));
  Value size = elementwise(b, Fn::abs, {cast(b, x, wide_dtype(dtype))});
  bool by_column = std::abs(order) == 1;
  int64_t summed = by_column ? rows : columns, left = by_column ? columns : rows;
  Value sums = combine(b, size, Fn::add, {summed});
  Axes rest{left - (left > summed ? 1 : 0)};
  return cast(b, extreme(b, sums, order > 0 ? Fn::maximum : Fn::minimum, rest), dtype);
}

} // namespace kolam::language
