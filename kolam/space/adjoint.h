/// Accumulation by a projection: what is the transpose of reading by it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kolam/space/policy.h"
#include "kolam/space/projection.h"
#include "kolam/space/view.h"

namespace kolam::space {

/// Points of an index space that a projection maps to elements of their own: `ranges` says which,
/// start + step t of each index dim (source d), and `map` where t lies, dim by dim:
///
///     x_k = b_k + the sum of A_kd t_d      each d of more than one point in one row k
///
/// where the steps of a row are mixed radix: put in order by size, each is beyond what the smaller
/// ones reach together. So an array over t is put to its places by spreading its dims.
struct AdjointTerm {
  std::vector<ViewDim> ranges;
  Point start; ///< of the ranges
  AffineMap map;
};

/// x~ of v[c] = x[P(c)]: sum v~ over the index dims `summed`, then add the terms one after the
/// other, each to its places.
struct Adjoint {
  std::vector<int> summed;
  std::vector<AdjointTerm> terms;
};

/// The adjoint of reading single elements by `map` over index dims of these extents.
///
///     | projection                  | terms                                                     |
///     |-----------------------------|-----------------------------------------------------------|
///     | one-to-one                  | one: the inverse view                                     |
///     | does not use an index dim   | that is summed                                            |
///     | overlapping windows         | one for each window offset, row-major                     |
///     | divides and wraps           | those of the pieces on which it is affine, row-major      |
///
/// Needs numbers as offsets (`[space-symbolic]`). None where there would be more than `most` terms,
/// or where several rows use a long index dim (a diagonal): then places are data, for a scatter in
/// row-major order of the index points.
std::optional<Adjoint> adjoint_of(const AffineMap& map, const Point& extents, int64_t most);

/// The same for reading regions: their elements are index dims behind the projection's own.
std::optional<Adjoint> adjoint_of(const Projection& projection, const Point& extents, int64_t most);

/// The same for reading a tensor of extents `tensor` also outside, where the policy says what is
/// read: `pad` and `drop` read no element, the other policies those that they name.
///
///     | clamp   | one for each point outside, and one for those inside                          |
///     | wrap    | one for each round                                                            |
///     | reflect | one for each turn                                                             |
///
/// None, too, where a row that leaves the tensor uses more than one index dim, or divides.
std::optional<Adjoint> adjoint_of(const AffineMap& map, const Policy& policy, const Point& tensor,
                                  const Point& extents, int64_t most);

/// `sum 1; [0 2 3] -> [1 0 | 4]`: summed dims, then for each term its ranges (start, step, count)
/// and where they lie.
std::string to_string(const Adjoint& adjoint);

} // namespace kolam::space
