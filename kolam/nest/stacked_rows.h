/// Counted loops that fill arrays box by box, as scans.
#pragma once

#include "kolam/ir/ops.h"

namespace kolam::nest {

/// A loop whose every step writes a box of a state that lies next to the box of the step before,
/// and that reads this state nowhere, stacks these boxes:
///
///     for i in [0, n): s, h = f(i, s), (h with y at [.., first + size i, ..])
///       =   s, ys = scan over iota(n) stacking y;   h with ys, as one box, at [.., first, ..]
///
/// Done where the boxes surely lie inside the state, and either the scan's states are computed
/// element by element, so that it stands in a nest, or the boxes are all of the state, one in one
/// piece behind the other. Null where not; else the scan, by which the loop has been replaced.
ir::ScanOp stack_rows(ir::ForOp loop);

} // namespace kolam::nest
