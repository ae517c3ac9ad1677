/// Where a dim of a nest is cut, so that in each part it is known which element an index outside an
/// operand finds: borders and the inside of padded arrays, the pieces of a concat.
#pragma once

#include "kolam/nest/nest.h"
#include "kolam/nest/relation.h"
#include "kolam/support/machine.h"

#include <vector>

namespace kolam::nest {

/// Size of code: parts of a dim, each of which has code of its own.
inline constexpr int64_t kMostParts = 5;
/// Assumed: of fewer than half as many rows no part is worth more code.
inline constexpr int64_t kFewRows = 16;

/// The places along a dim of the root's result where some read of the nest comes to lie outside of
/// its operand or inside, ascending; parts of less than half a vector of `lanes` beside one another
/// are one part. Empty where there is one part only, where there are more than `kMostParts`, where
/// sizes do not say in which order they lie, and where all parts are so short that vectors of the
/// whole row, in which lanes choose, are quicker.
std::vector<Extent> cuts_along(int dim, const Nest& nest, const NestRelation& relation,
                               analysis::Signatures& signatures, const Machine& machine);

/// The same along a dim in front of the one along which vectors go, where each vector of a row
/// would ask again whether the row lies inside: of padded values and the pieces of a concat alone,
/// as other rows outside are rows elsewhere. A few rows beside one another are one part.
std::vector<Extent> cuts_of_rows(int dim, const Nest& nest, const NestRelation& relation,
                                 analysis::Signatures& signatures);

} // namespace kolam::nest
