/// How many rows and vectors of columns the tiles of a product of matrices have.
#pragma once

#include "kolam/lower/machine.h"
#include "kolam/lower/schedule.h"

#include <cstdint>
#include <optional>

namespace kolam::lower {

struct TileShape {
  int rows, vectors;
};

/// What the shape follows from.
struct TileRules {
  const Schedule& schedule;
  const Machine& machine;
  int registers;                  ///< that a vector of sums takes
  int64_t most_rows;              ///< of a matrix; many where that is not known
  std::optional<int64_t> columns; ///< where known

  /// The tile for so many rows, where those are known. The sums of a tile fill 24 of 32 registers
  /// or 12 of 16; few rows are made up for by columns.
  TileShape shape() const;
  /// Tiles of fewer vectors may have more rows.
  int rows_for(int vectors) const;
};

} // namespace kolam::lower
