/// Range projections: which region of a tensor each index point owns.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kolam/space/affine_map.h"

namespace kolam::space {

/// (A, b, S): index point c owns the elements [A c + b, A c + b + S) of a tensor.
///
/// `map` holds A and b. The offset keeps its two parts apart: `adjustment` is what counting
/// backwards added (n - 1 for a reversed dim), and b - adjustment is the relative start (minus a
/// window's centre). S >= 0; any S_k = 0 makes every region empty. Offsets and sizes may hold
/// symbols; a symbolic size is taken as positive. (reference: index_projections 2.4, 2.10)
struct Projection {
  AffineMap map;
  Shape adjustment;
  Shape size;

  int index_rank() const { return map.input_rank; }
  int tensor_rank() const { return map.output_rank(); }
  friend bool operator==(const Projection&, const Projection&) = default;
};

/// The projection with b all relative start. Refuses unequal ranks with `[space-rank]` and a
/// negative constant size with `[space-size]`.
Projection projection(AffineMap map, Shape size);
void check_projection(const Projection& projection);

/// b - adjustment.
Shape relative_start(const Projection& projection);

/// Moves every region by `delta`: adds to the relative start.
Projection translate(const Projection& projection, const Shape& delta);
/// Index dim d of the result is index dim order[d].
Projection permute_index(const Projection& projection, const std::vector<int>& order);
/// Tensor dim d of the result is tensor dim order[d].
Projection permute_tensor(const Projection& projection, const std::vector<int>& order);
/// Counts index dim `dim`, of `extent` points, backwards. The regions stay the same set; only the
/// adjustment of the offset changes, the relative start does not:
///
///     b' = b + A_j (n_j - 1),   A_j' = -A_j
Projection reverse_index(const Projection& projection, int dim, const Extent& extent);
/// The same regions over another index space: point x of it owns what `index_map(x)` owned. Splits,
/// tiles and collapses index dims; refuses with `[space-not-representable]` as `compose` does.
Projection reindex(const Projection& projection, const AffineMap& index_map);
/// Extra leading index dims, which are ignored (clip) or select leading tensor dims (tile).
Projection embed(const Projection& projection, int index_rank, Embedding embedding);

/// Reads the region that `inner` (index -> T) owns through `outer` (T -> U): what a fused op reads.
///
///     A = A1 A2,   b = A1 b2 + b1 + A1^-(S2 - 1),   S = S1 + |A1| (S2 - 1)
///
/// where A^- = min(A, 0). Exact on points; on ranges outer(inner(R)) may be larger, where A1 A2
/// cancels. The halo grows: two 3-windows make S = 5. Refuses with `[space-not-representable]` a
/// quasi-affine row over regions whose size depends on the point. (reference: 2.11)
Projection stack(const Projection& outer, const Projection& inner);
std::optional<Projection> try_stack(const Projection& outer, const Projection& inner);
/// The elements that `projection` owns, seen in the tensor that its tensor is a view of: `view`
/// maps an element of the view to the element it shows. A strided view gives the bounding box of
/// the elements.
Projection through_view(const AffineMap& view, const Projection& projection);

/// The projection with its symbols replaced by numbers, as the exact functions of region.h and
/// cover.h need. Refuses a size that comes out negative with `[space-size]`.
Projection instantiate(const Projection& projection, const std::map<std::string, int64_t>& sizes);

/// The matrix `[A | b | S]`, row by row: `[1 0 | -1 | 3; 0 -1 | n - 1 | 1]`.
std::string to_string(const Projection& projection);

} // namespace kolam::space
