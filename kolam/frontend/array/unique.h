/// The different values of a tensor: O(n log n). How many there are data decide: at once the
/// results have that many elements; under `jit` their extent is a symbol that the running program
/// binds, or `size`.
#pragma once

#include "kolam/frontend/array/tensor.h"

#include <optional>
#include <tuple>

namespace kolam {

struct UniqueOptions {
  std::optional<Extent> size = {};        ///< how many are given, in place of all
  std::optional<Operand> fill_value = {}; ///< behind the last one; the smallest value if not given
  bool equal_nan = false;                 ///< all NaN count as one value
};

/// What `unique_all` gives.
struct UniqueAll {
  Tensor values, indices, inverse_indices, counts;
};
inline auto fields(UniqueAll& x) {
  return std::tie(x.values, x.indices, x.inverse_indices, x.counts);
}
/// What `unique_counts` gives.
struct UniqueCounts {
  Tensor values, counts;
};
inline auto fields(UniqueCounts& x) { return std::tie(x.values, x.counts); }
/// What `unique_inverse` gives.
struct UniqueInverse {
  Tensor values, inverse_indices;
};
inline auto fields(UniqueInverse& x) { return std::tie(x.values, x.inverse_indices); }

/// The different values of `x` in the order of `sort`, rank 1.
///
///     unique_values({3, 1, 3, 2})   =   {1, 2, 3}
///
/// Each NaN is a value of its own unless `equal_nan`; -0 equals +0, and the first of them is given.
/// `size` asks for so many: the first ones where there are more, `fill_value` behind the last one
/// where there are fewer. Throws `[extent-negative]` for the size, `[rank-mismatch]` and
/// `[scalar-does-not-fit]` for the fill value. As the array API's function.
Tensor unique_values(const Operand& x, const UniqueOptions& options = {});

/// The values, and how often each stands in `x` (0 times behind the last one). Throws as
/// `unique_values`.
UniqueCounts unique_counts(const Operand& x, const UniqueOptions& options = {});

/// The values, and for every element of `x` the place of its value among them, so that
/// values[inverse_indices] is x. Throws as `unique_values`.
UniqueInverse unique_inverse(const Operand& x, const UniqueOptions& options = {});

/// The values; the row-major place where each stands first (that of the smallest value behind the
/// last one); the places of `unique_inverse`; and the counts of `unique_counts`. Places and counts
/// are i32, or i64 where an extent is symbolic or there are more than 2^31 - 1 elements. Throws as
/// `unique_values`.
UniqueAll unique_all(const Operand& x, const UniqueOptions& options = {});

} // namespace kolam
