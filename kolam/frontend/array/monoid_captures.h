/// Reductions by monoids whose functions use values from outside. Internal: includes MLIR.
#pragma once

#include "kolam/frontend/array/monoid_regions.h"

namespace kolam {

/// The results of the pattern's elements reduced by the monoid. The ops' own regions capture
/// nothing: Note [Captures of monoids].
language::Values reduce_elements(Trace& trace, language::Pattern pattern, RecordedMonoid monoid);

/// The pattern whose elements are the elements of `inputs`, of one shape.
language::Pattern pattern_of_cells(language::Builder& b, const language::Values& inputs,
                                   const language::Axes& dims);

} // namespace kolam
