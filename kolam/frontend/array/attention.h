/// Scaled dot-product attention, in memory that grows with the rows and not with their square.
#pragma once

#include "kolam/frontend/array/tensor.h"

#include <functional>
#include <optional>

namespace kolam {

/// Query i sees the keys i - left .. i + right; all on a side that is not set.
struct AttentionWindow {
  std::optional<int64_t> left, right;
};

/// Integers [batch..., s]: a query sees the keys of its own segment.
struct AttentionSegments {
  Operand queries, keys;
};

/// (batch, head, query, key) -> whether the query sees the key, on traced integer scalars.
using AttentionMask = std::function<Tensor(Tensor, Tensor, Tensor, Tensor)>;

struct AttentionOptions {
  std::optional<Operand> mask = {};           ///< booleans, true takes part, or floats, added
  bool causal = false;                        ///< query i sees keys 0 .. i
  std::optional<AttentionWindow> window = {}; ///< beside it: what both let be seen
  std::optional<AttentionSegments> segment_ids = {};
  std::optional<double> scale = {}; ///< 1 / sqrt(d) without
  AttentionMask mask_function = {}; ///< beside the other masks
};

/// What queries find among keys:
///
///     attention(q, k, v) = softmax(q k^T scale + mask) v
///
/// for q [..., s, d], k [..., t, d], v [..., t, e]; the softmax is over the t keys. Leading dims
/// broadcast; the heads, dim -3, of k and v may divide those of q, and then neighbours share one.
/// `mask` repeats to [..., s, t]: booleans, or floats that are added, of which minus infinity
/// hides; or a function (batch, head, query, key) -> boolean on traced scalars, as in
/// zip_map_reduce; batch counts the dims before the heads row-major. `causal`: query i sees keys 0
/// .. i, also where s and t differ. `window`: w or (left, right), query i sees keys i - left .. i +
/// right, w being (w, w) and None no limit. `segment_ids`: integers [batch..., s] for queries and
/// keys, or a pair of such; a query sees the keys of equal ids. All of them together show what each
/// lets be seen. What is hidden has no part in the result, also where it is NaN; a query that sees
/// no key gives 0. Keys are taken in blocks of 128 with a running maximum and sum, so nothing of s
/// x t elements is ever held, and blocks that are hidden whole are skipped. bfloat16 and float16
/// compute in float32 and round once; integers become float32. Throws `[rank-mismatch]`,
/// `[shape-mismatch]`, `[bad-window]`, `[pattern-body]`, and `[dtype-mismatch]` for masks and ids
/// of other dtypes. Sources: Vaswani and others, "Attention is all you need", 2017; Dao and others,
/// "FlashAttention", 2022.
Tensor attention(const Operand& q, const Operand& k, const Operand& v,
                 const AttentionOptions& options = {});

} // namespace kolam
