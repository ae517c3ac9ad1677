/// Regions: what a projection owns for a point, a range of points, and neighbouring ranges.
///
/// The exact functions need numbers in the projection (`[space-symbolic]`, else instantiate it) and
/// count in checked 64 bits (`[space-overflow]`). Below, R = [s, e) is a box of index points,
/// n = e - s, A^+ = max(A, 0), A^- = min(A, 0).
#pragma once

#include <optional>
#include <vector>

#include "kolam/space/projection.h"

namespace kolam::space {

/// [A c + b, A c + b + S).
Box region(const Projection& projection, const Point& point);

/// The smallest box that contains the regions of all points of R (reference: 2.5):
///
///     lo = b + A^+ s + A^-(e - 1),   hi = b + A^+(e - 1) + A^- s + S
///
/// Exact for rows without mod; a row whose values cross a multiple of its modulus m gives
/// [0, m - 1 + S). An empty R gives an empty box at A s + b.
Box region(const Projection& projection, const Box& range);

/// A range whose bounds may hold symbols; every extent is taken as positive.
struct SymbolicBox {
  Shape start;
  Shape extent;
  friend bool operator==(const SymbolicBox&, const SymbolicBox&) = default;
};
/// `region` over symbols; the same numbers after instantiation. A row with mod gives its whole
/// period.
SymbolicBox region(const Projection& projection, const SymbolicBox& range);

/// The elements that every point of R owns: extent S_k - sum_j |A_kj| (n_j - 1), the canonical
/// empty box where there are none or R is empty. A row that crosses its modulus may give fewer.
/// (2.7)
Box common_core(const Projection& projection, const Box& range);

/// The elements that both points own when index dim `dim` goes one step: max(0, S_k - |A_k dim|).
/// For rows without division and mod (`[space-not-representable]`), as all that follow. (2.8)
Point shared_by_neighbours(const Projection& projection, int dim);
/// The elements between the two regions that neither owns: max(0, |A_k dim| - S_k).
Point skipped_by_neighbours(const Projection& projection, int dim);
/// The extents of what two shards share when R is cut along `dim`, wherever the cut is:
///
///     max(0, E_k - |A_k dim|),   E_k = S_k + sum over j != dim of |A_kj| (n_j - 1)
///
/// which is max(0, S_k - |A_k dim|) where row k reads only `dim`, and the full extent where it does
/// not read it.
Point halo(const Projection& projection, const Box& range, int dim);
/// How many elements the region of R grows by when index dim `dim` grows by one point.
int64_t new_cells(const Projection& projection, const Box& range, int dim);

/// The number of distinct elements that the points of R own: at most the size of their region.
/// Counted by formula where every row reads at most one index dim or regions are disjoint, else one
/// by one; nullopt where that means more than a million elements. (2.6)
std::optional<int64_t> union_size(const Projection& projection, const Box& range);
/// The elements of the region of R that no point owns; 0 means the union is a box.
std::optional<int64_t> waste(const Projection& projection, const Box& range);

} // namespace kolam::space
