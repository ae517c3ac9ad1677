// Fills the registers with sums.
#include "kolam/lower/tile_shape.h"

#include "kolam/nest/products.h"

#include <algorithm>

namespace kolam::lower {
namespace {

/// Tiles of one height, where some height of at least half of `most` divides the rows; else of like
/// heights.
int like_height(int64_t rows, int most) {
  for (int height = most; 2 * height >= most; --height)
    if (rows % height == 0)
      return height;
  int64_t tiles = (rows + most - 1) / most;
  return static_cast<int>(std::max<int64_t>(1, (rows + tiles - 1) / std::max<int64_t>(tiles, 1)));
}

} // namespace

TileShape TileRules::shape() const {
  if (schedule.rows > 0)
    return {schedule.rows, schedule.vectors};
  bool is_wide = machine.vector_bytes == 64;
  int lanes = machine.vector_bytes / 4;
  TileShape shape = is_wide ? TileShape{8, 3} : TileShape{4, 3};
  if (registers > 1)
    shape = is_wide ? TileShape{6, 2} : TileShape{3, 2};
  if (most_rows <= shape.rows / 2)
    shape.vectors = shape.vectors == 3 ? 6 : 3; // divides a unit's columns, as all widths do
  int width = shape.vectors * lanes;
  if (columns && *columns <= 2 * width && *columns % width != 0 && shape.vectors == 3 &&
      *columns % (2 * lanes) == 0)
    shape =
        *columns == 4 * lanes ? TileShape{shape.rows * 3 / 4, 4} : TileShape{shape.rows * 3 / 2, 2};
  if (most_rows < nest::kFewRows)
    shape.rows = like_height(most_rows, shape.rows);
  return shape;
}

int TileRules::rows_for(int vectors) const {
  TileShape whole = shape();
  if (schedule.rows > 0 || vectors >= whole.vectors || most_rows < nest::kFewRows)
    return whole.rows;
  return vectors == 2 ? whole.rows * 3 / 2 : whole.rows * 2;
}

} // namespace kolam::lower
