/// Indexing with integer arrays by NumPy's rule.
#pragma once

#include "kolam/language/index.h"

namespace kolam::language {

/// x[items...], where integer values of any rank take elements: they broadcast together, with the
/// plain integers, and their dims stand where the first of them stood, or in front where a slice,
/// an ellipsis or a new dim lies between them. Negative places count from the end once, then places
/// clip; plain integers must lie in the dim. Without a value of rank 1 or more it is `index`.
/// Throws what `index` throws, `[bad-index]` for values that are no integers and
/// `[shape-mismatch]` where they do not broadcast.
Value index_arrays(Builder& b, Value x, const std::vector<IndexItem>& items);

} // namespace kolam::language
