/// Loops whose next state is computed element by element from the state.
#pragma once

#include "kolam/nest/changes.h"
#include "kolam/support/machine.h"

namespace kolam::nest {

/// Adds the small parts of a loop's states, rows and elements, that the next state is computed from
/// beside its own element: once these lie elsewhere, it takes over the state's memory.
///
///     d = minimum(d, d[:, k, None] + d[k])
///
/// That pays where two such arrays do not fit into the second cache. `block` is a body of the loop;
/// of others it adds nothing.
void require_for_next_states(mlir::Block& block, const Machine& machine, Required& required);

} // namespace kolam::nest
