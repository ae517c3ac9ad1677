/// Orders of dims.
#pragma once

#include "kolam/language/builder.h"

namespace kolam::language {

/// Dim d of the result is dim `axes[d]` of `x`. Throws `[rank-mismatch]`, `[axis-out-of-range]`,
/// `[duplicate-axis]`.
Value permute_dims(Builder& b, Value x, const Axes& axes);
/// The last two dims exchanged. Throws `[rank-mismatch]` for fewer.
Value matrix_transpose(Builder& b, Value x);
/// Dims `source` at the places `destination`; the others keep their order. Throws as
/// `permute_dims`.
Value moveaxis(Builder& b, Value x, const Axes& source, const Axes& destination);

/// Dims `axis1` and `axis2` exchanged. Throws `[axis-out-of-range]`.
Value swapaxes(Builder& b, Value x, int64_t axis1, int64_t axis2);

} // namespace kolam::language
