// Compares tensors as a whole.
#include "kolam/frontend/array/closeness.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/reduction.h"

namespace kolam {
namespace {

Tensor as_float(const Tensor& x) { return is_float(x.dtype()) ? x : astype(x, DType::f64); }

Tensor close(const Tensor& given_x, const Tensor& given_y, double rtol, double atol,
             bool equal_nan) {
  const Tensor x = as_float(given_x), y = as_float(given_y);
  const Tensor near = less_equal(abs(x - y), atol + rtol * abs(y));
  const Tensor is_close = logical_or(equal(x, y), logical_and(near, isfinite(y)));
  return equal_nan ? logical_or(is_close, logical_and(isnan(x), isnan(y))) : is_close;
}

/// Nullopt where only the run knows.
std::optional<bool> have_one_shape(const Shape& a, const Shape& b) {
  if (a.size() != b.size())
    return false;
  bool is_known = true;
  for (size_t k = 0; k < a.size(); ++k) {
    if (a[k].is_constant() && b[k].is_constant() && !(a[k] == b[k]))
      return false;
    is_known &= a[k] == b[k];
  }
  return is_known ? std::optional(true) : std::nullopt;
}

Tensor all_equal(const Tensor& x, const Tensor& y, bool equal_nan) {
  const std::optional<bool> same = have_one_shape(x.shape(), y.shape());
  if (!same)
    fail(ErrorKind::value, "symbolic-extent",
         "expected shapes whose equality is known, but got " + to_string(x.shape()) + " and " +
             to_string(y.shape()));
  if (!*same)
    return full({}, false);
  const Tensor is_equal = equal(x, y);
  return all(equal_nan ? logical_or(is_equal, logical_and(isnan(x), isnan(y))) : is_equal);
}

} // namespace

Tensor isclose(const Operand& x, const Operand& y, double rtol, double atol, bool equal_nan) {
  return apply_composite("isclose", {x, y}, [&](const std::vector<Tensor>& v) {
    return std::vector{close(v[0], v[1], rtol, atol, equal_nan)};
  })[0];
}

Tensor allclose(const Operand& x, const Operand& y, double rtol, double atol, bool equal_nan) {
  return apply_composite("allclose", {x, y}, [&](const std::vector<Tensor>& v) {
    return std::vector{all(close(v[0], v[1], rtol, atol, equal_nan))};
  })[0];
}

Tensor array_equal(const Operand& x, const Operand& y, bool equal_nan) {
  return apply_composite("array_equal", {x, y}, [&](const std::vector<Tensor>& v) {
    return std::vector{all_equal(v[0], v[1], equal_nan)};
  })[0];
}

} // namespace kolam
