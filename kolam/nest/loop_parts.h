/// Parts of loops that can be computed element by element each for itself.
#pragma once

#include "mlir/IR/Block.h"

namespace kolam::nest {

/// Takes loops apart, in a block and the regions inside it:
///
/// - Of a loop that carries scalars beside arrays, whose elements need only their own place, the
///   scalars that are read behind it are carried by a loop of their own as well.
/// - Tables in the bodies of loops become captures, as they are memory.
/// - Loops that fill arrays row by row become scans (stacked_rows.h).
/// - Loops whose states are few elements carry these as numbers (few_numbers.h).
/// - Loops that change arrays element by element are marked as such (ir/element_loop.h).
void part_loops(mlir::Block& block);

} // namespace kolam::nest
