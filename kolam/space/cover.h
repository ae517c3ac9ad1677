/// Output validity: whether index points own disjoint regions, and together exactly a box.
#pragma once

#include <optional>

#include "kolam/space/projection.h"

namespace kolam::space {

/// Whether every row is affine and reads at most one index dim.
bool is_row_monomial(const Projection& projection);

/// Whether no two points of `range` own a common element: then they may be written in any order, or
/// at once. Equivalent (reference: 2.12) to
///
///     for all nonzero d with |d_j| < n_j there is a row k with |A_k . d| >= S_k
///
/// Decided by rows whose coefficients are superincreasing (which settles every row-monomial map:
/// each j with n_j > 1 needs a row a * e_j with |a| >= S_k), then by enumerating d, or the elements
/// where a row divides or wraps. nullopt where that is too much work to decide. Empty regions are
/// disjoint.
std::optional<bool> are_disjoint(const Projection& projection, const Box& range);
/// The same for extents that may hold symbols, taken as large: true means disjoint for every size.
bool are_disjoint_for_all_sizes(const Projection& projection, const Shape& extents);

/// Whether the regions of the points of `range` are disjoint and their union is exactly `target`.
std::optional<bool> is_exact_cover(const Projection& projection, const Box& range,
                                   const Box& target);

} // namespace kolam::space
