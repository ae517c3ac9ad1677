/// Whole Jacobians and Hessians of functions of one tensor.
#pragma once

#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/derive.h"
#include "kolam/frontend/array/shape.h"
#include "kolam/frontend/array/vmap.h"

namespace kolam {

namespace detail {

/// The shape of x, then that of y.
Shape joined_shape(const Tensor& x, const Tensor& y);
/// One tensor for each element of x, 1 there and 0 elsewhere: [n, x...].
Tensor basis_of(const Tensor& x);
/// [n, y...], a column for each element of x, as [y..., x...].
Tensor columns_to_jacobian(const Tensor& columns, const Tensor& y, const Tensor& x);

} // namespace detail

/// The Jacobian of a function of one tensor, column by column: fast where it has more elements than
/// the result.
///
///     auto j = kolam::jacfwd([](kolam::Tensor x) { return multiply(x, x); })(x);
///
/// J[i, j] = d y[i] / d x[j]: the result's dims first, then the argument's. Throws as `jvp`.
template <class F> auto jacfwd(F&& f, Operand::Here where = Operand::Here::current()) {
  return [function = std::decay_t<F>(std::forward<F>(f)), where](Tensor x) {
    auto [y, push] = linearize(function, x);
    Tensor columns = vmap([push = push](Tensor direction) { return push(direction); }, {},
                          where)(detail::basis_of(x));
    return detail::columns_to_jacobian(columns, y, x);
  };
}

/// The same row by row: fast where results have fewer elements than arguments. Throws as `vjp`.
template <class F> auto jacrev(F&& f, Operand::Here where = Operand::Here::current()) {
  return [function = std::decay_t<F>(std::forward<F>(f)), where](Tensor x) {
    auto [y, pullback] = vjp(function, x);
    Tensor rows =
        vmap([pullback = pullback](Tensor direction) { return std::get<0>(pullback(direction)); },
             {}, where)(detail::basis_of(y));
    return reshape(rows, detail::joined_shape(y, x));
  };
}

/// As `jacrev`.
template <class F> auto jacobian(F&& f, Operand::Here where = Operand::Here::current()) {
  return jacrev(std::forward<F>(f), where);
}

/// The second derivatives of a function: `jacfwd` of `jacrev`.
///
/// H[i, j] = d^2 y / d x[i] d x[j]. Throws as `vjp`.
template <class F> auto hessian(F&& f, Operand::Here where = Operand::Here::current()) {
  return jacfwd(jacrev(std::forward<F>(f), where), where);
}

} // namespace kolam
