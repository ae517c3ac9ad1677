/// Where values lie among sorted ones, and whether they are among given ones.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::language {

enum class Side : uint8_t { left, right };

/// result[i..] = how many elements of `sorted`, of rank 1 and in the order of `sort`, come before
/// values[i..] (left) or do not come behind it (right); sorted[sorter] in place of `sorted` where
/// there is a sorter. i32, or i64 where the extent is symbolic or exceeds 2^31 - 1. Throws
/// `[rank-mismatch]`, `[shape-mismatch]` and `[dtype-mismatch]` for the sorter.
Value searchsorted(Builder& b, Value sorted, Value values, Side side, Value sorter);

/// result[i..] = whether x[i..] equals an element of `values`; NaN equals none. Throws
/// `[no-promotion]`.
Value isin(Builder& b, Value x, Value values);

} // namespace kolam::language
