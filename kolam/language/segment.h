/// Reductions of the rows that share a number.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::language {

enum class SegmentReduction : uint8_t { sum, prod, min, max, mean };

/// result[s] = the rows data[i] with ids[i] = s combined, for s < segments; `ids` are integers
/// whose shape the leading dims of `data` have. Ids outside are left out. An empty segment gives
/// the identity, of `mean` NaN. Sums and products have the dtype of `accumulate`; bf16 and f16
/// compute in f32 and round once. Throws `[dtype-mismatch]`, `[rank-mismatch]`, `[shape-mismatch]`,
/// `[extent-negative]`.
Value segment_reduce(Builder& b, Value data, Value ids, const Extent& segments,
                     SegmentReduction reduction);

/// result[v] = the number of i with x[i] = v, or the sum of their weights where there are any.
Value bincount(Builder& b, Value x, Value weights, const Extent& length);

} // namespace kolam::language
