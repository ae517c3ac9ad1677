/// Attention of one token for each sequence, over keys that lie in rows or in pages. bf16 and f16
/// compute in f32 and round once.
#pragma once

#include "kolam/frontend/pallas/pallas_call.h"

namespace kolam::kernels {

struct DecodeAttentionOptions {
  std::optional<Operand> lengths = {}; ///< all keys unless given
  std::optional<double> scale = {};    ///< 1 / sqrt(d) unless given
  int64_t splits = 8;
  std::optional<pallas::InterpretParams> interpret = {};
};

/// What one token of each sequence finds among the keys so far:
///
///     result[b, h] = sum_s p[s] v[b, s, g],   s < lengths[b],
///     p = softmax_s(scale sum_d q[b, h, d] k[b, s, g, d])
///
/// where g = h div (heads / kv_heads): neighbours share a head of the keys. q is [batch, heads, d],
/// k [batch, keys, kv_heads, d], v [batch, keys, kv_heads, e], promoted to one dtype of floats; the
/// result is [batch, heads, e]. kv_heads divides heads. `lengths` are integers [batch]; a sequence
/// of length 0 gives 0, and what lies behind has no part, also where it is NaN. The keys are cut
/// into `splits` parts ("split k"), which points of the grid take side by side; a second kernel
/// merges them by their maxima and sums. Throws `[rank-mismatch]`, `[shape-mismatch]`,
/// `[dtype-mismatch]`, and `[bad-block]` for less than one part. Source: Dao and others,
/// "Flash-Decoding for long-context inference", 2023.
Tensor decode_attention(const Operand& q, const Operand& k, const Operand& v,
                        const DecodeAttentionOptions& options = {});

struct PagedAttentionOptions {
  std::optional<double> scale = {}; ///< 1 / sqrt(d) unless given
  std::optional<pallas::InterpretParams> interpret = {};
};

/// `decode_attention` over keys that lie in pages, which a table finds:
///
///     result[b, h] = sum_s p[s] v(b, s),   p = softmax_s(scale sum_d q[b, h, d] k(b, s)[d]),
///     k(b, s) = k_pages[g, block_tables[b, s div page_size], s mod page_size],   s < lengths[b]
///
/// where g = h div (heads / kv_heads), and v(b, s) as k(b, s). q is [batch, heads, d], k_pages
/// [kv_heads, pages, page_size, d], v_pages [kv_heads, pages, page_size, e], promoted to one dtype
/// of floats; block_tables, integers [batch, pages of a sequence], and lengths, integers [batch],
/// say what is used of them; the result is [batch, heads, e]. Entries of the table behind a length
/// are not read; others are clipped to the pages that there are. A sequence of length 0 gives 0,
/// and keys behind a length have no part, also where they are NaN. A point of the grid has one
/// page; the table is prefetched, so that it chooses blocks. Throws `[rank-mismatch]`,
/// `[shape-mismatch]`, `[dtype-mismatch]`. Source: Kwon and others, "Efficient memory management
/// for large language model serving with PagedAttention", 2023.
Tensor paged_attention(const Operand& q, const Operand& k_pages, const Operand& v_pages,
                       const Operand& block_tables, const Operand& lengths,
                       const PagedAttentionOptions& options = {});

} // namespace kolam::kernels
