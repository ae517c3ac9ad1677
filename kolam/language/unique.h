/// The different values of a tensor.
#pragma once

#include "kolam/language/nonzero.h"

namespace kolam::language {

struct UniqueSpec {
  Count count;
  Value fill_value;           ///< a scalar, or null: the smallest value
  bool nan_is_one = false;    ///< all NaN count as one value
  bool wants_indices = false; ///< which parts are made besides the values
  bool wants_inverse = false;
  bool wants_counts = false;
};

/// The values in the order of `sort`, each once (of -0 and +0 the first); the row-major place where
/// each stands first; for every element of x the place of its value among them; and how often each
/// stands in x. With a size the first ones; where there are no more `fill_value`, the place of the
/// smallest value, and 0 times.
struct Unique {
  Value values, indices, inverse, counts;
};

/// Throws `[extent-negative]` for the size, `[rank-mismatch]` for the fill value.
Unique unique(Builder& b, Value x, const UniqueSpec& spec);

} // namespace kolam::language
