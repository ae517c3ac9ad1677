/// Boxes of a value, and cutting it into several.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/support/slice.h"

#include <variant>

namespace kolam::language {

/// The elements that `boxes`, one for each dim, take.
Value slice(Builder& b, Value x, const std::vector<SliceBox>& boxes);
/// x[start : start + size] along `dim`; the caller sees to it that this lies inside.
Value slice_dim(Builder& b, Value x, int64_t dim, const Extent& start, const Extent& size);

/// Equal parts along `axis`. Throws `[uneven-split]` where the extent is no multiple of `sections`;
/// where only the run can see it, a check is put into the program.
Values split_evenly(Builder& b, Value x, int64_t sections, int64_t axis);
/// x[: indices[0]], x[indices[0] : indices[1]], ... along `axis`, each clipped as Python's slices.
Values split_at(Builder& b, Value x, const std::vector<int64_t>& indices, int64_t axis);
/// The sub-arrays along `axis`. Throws `[symbolic-extent]` where their number is not known.
Values unstack(Builder& b, Value x, int64_t axis);

} // namespace kolam::language
