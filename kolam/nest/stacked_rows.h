/// Counted loops that fill arrays row by row, as scans.
#pragma once

#include "kolam/ir/ops.h"

namespace kolam::nest {

/// A loop from 0 to the leading extent of a state whose every step writes the state's row of the
/// step's number, and that reads it nowhere, stacks these rows:
///
///     for i in [0, n): s, h = f(i, s), (h with y as row i)   =   scan over iota(n) stacking y
///
/// Done where the scan's states are computed element by element, so that it stands in a nest. Null
/// where not; else the scan, by which the loop has been replaced.
ir::ScanOp stack_rows(ir::ForOp loop);

} // namespace kolam::nest
