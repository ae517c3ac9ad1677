/// Derivatives beside finite differences.
#pragma once

#include "kolam/frontend/array/derive.h"

namespace kolam {

struct CheckGradsOptions {
  int order = 1;       ///< of derivatives: 2 compares those of the gradient, too
  bool forward = true; ///< jvp
  bool reverse = true; ///< vjp
  double tolerance =
      0.0; ///< 0: 1e-5 where all floats are float64, else 2e-2; ten times more each order
};

namespace detail {

/// `body` at `arguments`, tensors of floats. Throws `[wrong-gradient]`.
void check_grads(const Leaves& arguments, const LeavesFunction& body,
                 const CheckGradsOptions& options, Operand::Here where);

} // namespace detail

/// Throws `[wrong-gradient]`, with both numbers, where derivatives of `f` at `arguments`, a tuple,
/// and finite differences disagree.
///
///     kolam::check_grads([](kolam::Tensor x) { return sin(x); }, std::tuple(x), {.order = 2});
///
/// Along one random direction for each order: (f(x + h d) - f(x - h d)) / 2h beside jvp and vjp.
/// The tolerance is relative to the larger, and absolute below 1. For tests: outside of traces.
/// Throws `[not-differentiable]` where no argument has floats.
template <class F, class... Given>
void check_grads(F&& f, const std::tuple<Given...>& arguments,
                 const CheckGradsOptions& options = {},
                 Operand::Here where = Operand::Here::current()) {
  using Of = detail::Differentiated<std::decay_t<F>>;
  const detail::CallSite call{"check_grads", detail::to_location(where)};
  const typename Of::Arguments all(arguments);
  const detail::FloatLeaves leaves(detail::flatten(all, call), call);
  detail::check_grads(
      leaves.floats(),
      [&](const detail::Leaves& values) {
        typename Of::Result result =
            std::apply(f, detail::unflatten(all, leaves.with(values), call));
        return detail::flatten(result, call).leaves;
      },
      options, where);
}

} // namespace kolam
