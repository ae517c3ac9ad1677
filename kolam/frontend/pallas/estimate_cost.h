/// What a function costs, counted as JAX's kernel language counts it.
#pragma once

#include "kolam/frontend/array/program.h"

#include <functional>
#include <span>

namespace kolam::pallas {

/// Flops, calls of transcendental functions, and bytes that are read and written.
struct CostEstimate {
  int64_t flops = 0, transcendentals = 0, bytes_accessed = 0;
  friend bool operator==(const CostEstimate&, const CostEstimate&) = default;
};

/// The numbers that `jax.experimental.pallas.estimate_cost` gives for the same operations.
///
///     an arithmetic operation     1 flop an element of its result
///     exp, log, sin, tanh ...     1 transcendental an element
///     x ** n, n a whole number    floor(log2(n)) + the bits of n flops an element
///     a product [m, k] x [k, n]   2 m k n flops, times its batch
///     bytes                       all arguments and all results, once
///
/// Comparisons, selections, casts, moves, sums of elements, and what is inside of loops and
/// branches count nothing. A kernel counts its `cost_estimate`, without one its body once a point
/// of its grid. Symbolic extents count as 1000.
CostEstimate estimate_cost(const Program& program);
/// Of a function that takes tensors of these dtypes and shapes.
///
///     estimate_cost([](const auto& x) { return std::vector{matmul(x[0], x[1])}; },
///                   {{DType::f32, {8, 16}}, {DType::f32, {16, 4}}})
CostEstimate estimate_cost(const std::function<std::vector<Tensor>(std::vector<Tensor>)>& function,
                           const std::vector<TensorSpec>& arguments);

} // namespace kolam::pallas
