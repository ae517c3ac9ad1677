/// How many rows and vectors of columns the tiles of a product of matrices have.
#pragma once

#include "kolam/nest/schedule_choice.h"

namespace kolam::lower::cpu {

using TileShape = nest::ProductTile;

/// What the shape follows from.
struct TileRules {
  std::optional<TileShape> given; ///< by the schedule, where that is not the rules' own
  const Machine& machine;
  int registers;                  ///< that a vector of sums takes
  int64_t most_rows;              ///< of a matrix; many where that is not known
  std::optional<int64_t> columns; ///< where known

  TileShape shape() const;
  /// Tiles of fewer vectors may have more rows.
  int rows_for(int vectors) const;
};

} // namespace kolam::lower::cpu
