/// Functions along the last axis, by blocks of rows. bf16 and f16 compute in f32 and round once.
#pragma once

#include "kolam/frontend/pallas/pallas_call.h"

namespace kolam::kernels {

struct RowsOptions {
  int64_t block_rows = 32;
  std::optional<pallas::InterpretParams> interpret = {};
};

/// Powers of e along the last axis, as parts of their sum:
///
///     result[..., i] = exp(x[..., i] - m) / sum_j exp(x[..., j] - m),   m = max_j x[..., j]
///
/// x is [..., n], floats; so is the result. A point of the grid has block_rows rows. Throws
/// `[rank-mismatch]` for a scalar, `[dtype-mismatch]`, and `[bad-block]` for less than one row.
Tensor softmax(const Operand& x, const RowsOptions& options = {});

struct RowNormOptions {
  double epsilon = 1e-5; ///< keeps the root from 0
  int64_t block_rows = 32;
  std::optional<pallas::InterpretParams> interpret = {};
};

/// Rows of mean 0 and variance 1, scaled and moved:
///
///     result[..., i] = (x[..., i] - mean) / sqrt(variance + epsilon) weight[i] + bias[i]
///
/// x is [..., n], floats; so is the result. weight and bias are [n], left out unless given. Throws
/// `[rank-mismatch]` for a scalar, `[shape-mismatch]`, `[dtype-mismatch]`, and `[bad-block]` for
/// less than one row. Source: Ba, Kiros, Hinton, "Layer Normalization", 2016.
Tensor layer_norm(const Operand& x, const std::optional<Operand>& weight = {},
                  const std::optional<Operand>& bias = {}, const RowNormOptions& options = {});

/// Rows whose squares have mean 1, scaled:
///
///     result[..., i] = x[..., i] / sqrt(mean_j x[..., j]^2 + epsilon) weight[i]
///
/// x is [..., n], floats; so is the result. weight is [n], left out unless given. Throws
/// `[rank-mismatch]` for a scalar, `[shape-mismatch]`, `[dtype-mismatch]`, and `[bad-block]` for
/// less than one row. Source: Zhang, Sennrich, "Root Mean Square Layer Normalization", 2019.
Tensor rms_norm(const Operand& x, const std::optional<Operand>& weight = {},
                const RowNormOptions& options = {});

} // namespace kolam::kernels
