/// The recurrence of a selective state space model, step by step.
#pragma once

#include "kolam/frontend/pallas/pallas_call.h"

namespace kolam::kernels {

struct SelectiveScanOptions {
  int64_t block_channels = 128;
  std::optional<pallas::InterpretParams> interpret = {};
};

/// The recurrence of Mamba, for each channel d over states n:
///
///     h[t, d, n] = exp(delta[t, d] A[d, n]) h[t - 1, d, n] + delta[t, d] B[t, n] u[t, d]
///     y[t, d] = sum_n C[t, n] h[t, d, n] + D[d] u[t, d]
///
/// u and delta are [batch, length, channels], A [channels, states], B and C [batch, length,
/// states], D [channels], zeros unless given; all are promoted to one dtype of floats, that of the
/// result, [batch, length, channels]. The state is 0 before the first step, and f32, or f64 of
/// such. A point of the grid takes all steps of block_channels channels. Throws `[rank-mismatch]`,
/// `[shape-mismatch]`, `[dtype-mismatch]`, and
/// `[bad-block]` for blocks below 1. Source: Gu, Dao, "Mamba: linear-time sequence modeling with
/// selective state spaces", 2023.
Tensor selective_scan(const Operand& u, const Operand& delta, const Operand& A, const Operand& B,
                      const Operand& C, const std::optional<Operand>& D = {},
                      const SelectiveScanOptions& options = {});

} // namespace kolam::kernels
