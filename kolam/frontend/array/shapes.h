/// Dtypes and shapes of results, without the results.
#pragma once

#include "kolam/frontend/array/program.h"
#include "kolam/frontend/array/pytree.h"

#include <functional>
#include <span>
#include <vector>

namespace kolam {

/// The dtypes and shapes of what `function` gives for tensors of these: it is called once, on
/// traced values, and nothing is computed. Inside a trace it may use values from around it.
std::vector<TensorSpec>
eval_shape(std::span<const TensorSpec> parameters,
           const std::function<std::vector<Tensor>(std::vector<Tensor>)>& function);

/// The same for a function of pytrees, of whose arguments only dtypes, shapes and statics count:
/// one for each tensor of its result, in order.
///
///     auto specs = kolam::eval_shape(layer, x, w);   // specs[0].shape
template <class F, class... Args>
  requires std::invocable<const F&, const Args&...>
std::vector<TensorSpec> eval_shape(const F& f, const Args&... args) {
  const std::tuple<Args...> given(args...);
  std::vector<Tensor> leaves;
  std::string structure;
  Pytree<std::tuple<Args...>>::flatten(given, leaves, structure);
  std::vector<TensorSpec> specs;
  for (const Tensor& leaf : leaves)
    specs.push_back({leaf.dtype(), leaf.shape()});
  return eval_shape(std::span<const TensorSpec>(specs), [&](std::vector<Tensor> traced) {
    const Tensor* next = traced.data();
    auto result = std::apply(f, Pytree<std::tuple<Args...>>::unflatten(given, next));
    std::vector<Tensor> results;
    Pytree<decltype(result)>::flatten(result, results, structure);
    return results;
  });
}

} // namespace kolam
