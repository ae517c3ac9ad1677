/// The places of elements that are not 0: as many as data say, or as are asked for.
#pragma once

#include "kolam/language/builder.h"

#include <optional>
#include <string>

namespace kolam::language {

/// How many elements a function gives whose number data decides: `size` of them, or all that there
/// are, a number that the program binds to `symbol`.
struct Count {
  std::optional<Extent> size;
  std::string symbol;
};

/// Throws `[extent-negative]` and `[extent-unbound]` for a size that is asked for.
void require_size(Builder& b, const Extent& size);

/// result[k] = the place of true element number k of a mask of rank 1: i32, or i64 where its extent
/// is symbolic or exceeds 2^31 - 1. With a size the first ones, and the mask's extent where there
/// are no more. Throws `[extent-negative]`.
Value true_places(Builder& b, Value mask, const Count& count);

/// The coordinates of the elements that are not 0, in row-major order, a value for each dim; with a
/// size `fill_value`, one number or one for each dim, where there are no more. Throws
/// `[rank-mismatch]` for rank 0, and for a number of fill values that is neither.
Values nonzero(Builder& b, Value x, const Count& count, const std::vector<int64_t>& fill_value);

} // namespace kolam::language
