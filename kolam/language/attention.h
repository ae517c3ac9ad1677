/// Scaled dot-product attention in its plain form.
#pragma once

#include "kolam/language/builder.h"

#include <optional>

namespace kolam::language {

struct Attention {
  Value mask;                  ///< booleans, true takes part, or floats that are added; may be null
  bool causal = false;         ///< query i sees keys 0 .. i
  std::optional<double> scale; ///< 1 / sqrt(d) without
};

/// softmax(q k^T scale + mask) v over the keys, for q [..., s, d], k [..., t, d], v [..., t, e].
/// Computes in f32 (f64 for f64) and rounds once. Throws `[rank-mismatch]`, `[shape-mismatch]`,
/// `[dtype-mismatch]`.
Value attention(Builder& b, Value q, Value k, Value v, const Attention& options);

} // namespace kolam::language
