/// Scaled dot-product attention in its plain form.
#pragma once

#include "kolam/frontend/array/tensor.h"

#include <optional>

namespace kolam {

struct AttentionOptions {
  std::optional<Operand> mask = {}; ///< booleans, true takes part, or floats that are added
  bool causal = false;              ///< query i sees keys 0 .. i
  std::optional<double> scale = {}; ///< 1 / sqrt(d) without
};

/// What queries find among keys (Vaswani and others, "Attention is all you need", 2017):
///
///     attention(q, k, v) = softmax(q k^T scale + mask) v
///
/// for q [..., s, d], k [..., t, d], v [..., t, e]; the softmax is over the t keys, batch dims
/// broadcast, `mask` broadcasts to [..., s, t]. A query that sees no key gives NaN. bfloat16 and
/// float16 compute in float32 and round once; integers become float32. Throws `[rank-mismatch]`,
/// `[shape-mismatch]`, and `[dtype-mismatch]` for a mask of integers.
Tensor attention(const Operand& q, const Operand& k, const Operand& v,
                 const AttentionOptions& options = {});

} // namespace kolam
