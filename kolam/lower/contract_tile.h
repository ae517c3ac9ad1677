/// Contractions computed several cells at a time: a tile of rows and vectors of columns whose sums
/// run together, so that each factor that is loaded serves a whole row or column of the tile.
#pragma once

#include "kolam/lower/emission.h"
#include "kolam/lower/machine.h"

namespace kolam::lower {

/// A contraction inside a nest whose cells are asked for at the root's own index.
struct TiledContraction {
  ir::ContractOp op;
  int rows = 1;    ///< of the tile, along the last dim but one
  int columns = 1; ///< vectors of the tile, along the last dim
};

/// The contraction of a nest that tiles make faster; null op where there is none: sums that go by
/// lanes, roots of rank below 2, factors that are not one scalar a row and one vector a column.
TiledContraction choose_tile(const nest::Nest& nest, const Machine& machine);

/// Computes the contraction at every index of the tile, by row then column, in the op's own order;
/// later cells at these indices find the sums. Inside `with_lanes`.
void emit_tile(const TiledContraction& tile, llvm::ArrayRef<Index> indices, Emission& emission);

} // namespace kolam::lower
