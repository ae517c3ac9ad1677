/// Scaled dot-product attention: from arguments that broadcast to the op.
#pragma once

#include "kolam/language/builder.h"

#include <functional>
#include <memory>
#include <optional>

namespace kolam::language {

/// Which keys around a query it sees, beside itself; unlimited on a side that is not set.
struct Window {
  std::optional<int64_t> left, right;
};

/// A function (batch, head, query, key) -> boolean on scalars, as a region and what it captures.
struct MaskRegion {
  std::unique_ptr<mlir::Region> region;
  Values captures;
};

struct Attention {
  Value mask;                  ///< booleans, true takes part, or floats that are added; may be null
  bool causal = false;         ///< query i sees keys 0 .. i
  Window window;               ///< query i sees keys i - left .. i + right
  Value q_segments;            ///< integers [batch..., s], or null
  Value k_segments;            ///< integers [batch..., t], set where q_segments is
  std::optional<double> scale; ///< 1 / sqrt(d) without
  /// Makes the region of a mask by function, whose four places have this type; may be empty.
  std::function<MaskRegion(mlir::Type place)> visible;
};

/// softmax(q k^T scale + mask) v over the keys, for q [..., s, d], k [..., t, d], v [..., t, e]:
/// kolam.attention. Leading dims broadcast, and the heads, dim -3 of k and v, may divide those of
/// q. Throws `[rank-mismatch]`, `[shape-mismatch]`, `[dtype-mismatch]`, `[bad-window]`.
Value attention(Builder& b, Value q, Value k, Value v, const Attention& options);

} // namespace kolam::language
