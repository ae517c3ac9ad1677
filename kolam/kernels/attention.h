/// Attention as a kernel, in memory that does not grow with the keys.
#pragma once

#include "kolam/frontend/array/attention.h"
#include "kolam/frontend/pallas/pallas_call.h"

namespace kolam::kernels {

struct AttentionOptions {
  kolam::AttentionOptions masks = {}; ///< and the scale: as of kolam::attention
  /// Queries of a point of the grid: 128, or 64 under a window with a left side.
  std::optional<int64_t> block_q = {};
  std::optional<pallas::InterpretParams> interpret = {};
};

/// What queries find among keys:
///
///     attention(q, k, v) = softmax(q k^T scale + mask) v
///
/// Arguments are those of `kolam::attention`, and so are bits, but for fewer than 16 queries of
/// more than 512 elements. Block by block of 128 keys goes on what each query has found:
///
///     m' = max(m, s),   c = exp(m - m'),   p = exp(s - m'),
///     total' = c total + sum(p),   found' = c found + p v
///
/// for scores s of its keys; found / total is the result, and 0 where it saw no key. A point of the
/// grid has `block_q` queries of a head, and visits the keys that any of them sees. Blocks that a
/// window hides are not visited, blocks that other masks hide are skipped, and those of which all
/// is seen go without masks. Derivatives are those of `kolam::attention`. Throws what
/// `kolam::attention` throws, and `[bad-block]`. Sources: Milakov and Gimelshein, "Online
/// normalizer calculation for softmax", 2018; Dao and others, "FlashAttention", 2022.
Tensor attention(const Operand& q, const Operand& k, const Operand& v,
                 const AttentionOptions& options = {});

} // namespace kolam::kernels
