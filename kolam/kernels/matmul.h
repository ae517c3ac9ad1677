/// Products of matrices by blocks, with a function of the sums, and two of them with one in
/// between.
#pragma once

#include "kolam/frontend/pallas/pallas_call.h"

namespace kolam::kernels {

/// A function of a block that gives as many elements, each from its own.
using Activation = std::function<Tensor(const Tensor&)>;

struct MatmulOptions {
  int64_t block_m = 128, block_n = 128, block_k = 512;
  Activation activation = {}; ///< of the sums; themselves unless given
  std::optional<DType> out_dtype = {};
  std::optional<pallas::InterpretParams> interpret = {};
};

/// The product of two matrices, and a function of its elements while they are at hand:
///
///     result[i, j] = activation(sum_k x[i, k] y[k, j])
///
/// x is [m, k] and y [k, n], promoted to one dtype of numbers. A point of the grid has a block of
/// block_m x block_n sums and adds products of block_k terms to it. Sums of floats are f32, or f64
/// of such; those of integers have `out_dtype`, that of the operands unless given, and so has the
/// result. Throws `[rank-mismatch]`, `[shape-mismatch]`, `[dtype-mismatch]`, and `[bad-block]` for
/// blocks below 1. Source: "Pallas: a JAX kernel language", templated matmul.
Tensor matmul(const Operand& x, const Operand& y, const MatmulOptions& options = {});

struct MlpOptions {
  std::optional<Operand> b1 = {}, b2 = {}; ///< zeros unless given
  Activation activation = {};              ///< gelu unless given
  int64_t block_m = 128, block_hidden = 512;
  std::optional<pallas::InterpretParams> interpret = {};
};

/// Two layers of a network, of which the hidden one is never whole in memory:
///
///     result = activation(x w1 + b1) w2 + b2
///
/// x is [m, k], w1 [k, hidden], w2 [hidden, n], b1 [hidden] and b2 [n]; all are promoted to one
/// dtype of floats, that of the result. Sums and the hidden layer are f32, or f64 of such; the
/// second product takes it rounded to the dtype of w2. A point of the grid has block_m rows and
/// block_hidden units. Throws `[rank-mismatch]`, `[shape-mismatch]`, `[dtype-mismatch]`, and
/// `[bad-block]` for blocks below 1.
Tensor mlp(const Operand& x, const Operand& w1, const Operand& w2, const MlpOptions& options = {});

} // namespace kolam::kernels
