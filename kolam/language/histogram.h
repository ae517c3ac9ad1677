/// Numbers sorted into bins, and piecewise linear functions.
#pragma once

#include "kolam/language/builder.h"

#include <optional>

namespace kolam::language {

/// Which bin: result[i..] = k where bins[k - 1] <= x < bins[k] (or < and <=, with `is_right`), for
/// rising `bins`; for falling ones where bins[k - 1] > x >= bins[k]. Throws `[rank-mismatch]`.
Value digitize(Builder& b, Value x, Value bins, bool is_right);

/// Rising edges of bins, and what they come from where they lie at equal distances.
struct BinEdges {
  Value edges;
  Value lower = {},
        upper = {}; ///< f64, edges are linspace between these; null where edges are given
};

/// `bins` + 1 numbers at equal distances from `lower` to `upper`, scalars; from half below to half
/// above where they are equal. Floats of the dtype that x has or becomes. Stops the program with
/// `[not-finite]` for limits that are not finite.
BinEdges bin_edges(Builder& b, Value x, const Extent& bins, Value lower, Value upper);
/// The least and the greatest element of x; 0 and 1 where there is none.
Values range_of(Builder& b, Value x);

/// How many elements of x lie in each bin between `edges`, the last of which belongs to the last
/// bin; NaN and elements outside lie in none. With `weights` the sum of theirs; with `is_density`
/// by the whole sum and the width of the bin.
Value histogram(Builder& b, Value x, const BinEdges& bins, Value weights, bool is_density);

/// The function whose graph goes through the points (xp, fp), xp rising, in straight lines; below
/// xp[0] it is `left`, above the last `right`, where they are not null, else the nearest fp.
Value interp(Builder& b, Value x, Value xp, Value fp, Value left, Value right);

} // namespace kolam::language
