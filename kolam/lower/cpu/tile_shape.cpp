// Reads tiles from the schedule.
#include "kolam/lower/cpu/tile_shape.h"

#include "kolam/nest/products.h"

namespace kolam::lower::cpu {

TileShape TileRules::shape() const {
  return given.value_or(nest::rule_tile(machine, registers, most_rows, columns));
}

int TileRules::rows_for(int vectors) const {
  TileShape whole = shape();
  if (given || vectors >= whole.vectors || most_rows < kTiles.few_rows)
    return whole.rows;
  return vectors == 2 ? whole.rows * 3 / 2 : whole.rows * 2;
}

} // namespace kolam::lower::cpu
