/// The schedules of nests that compute products of matrices by tiles, or pack columns for them.
#pragma once

#include "kolam/nest/joined_dims.h"
#include "kolam/nest/nest.h"
#include "kolam/nest/schedule.h"
#include "kolam/support/machine.h"

namespace kolam::nest {

/// How the factors of a product are read.
struct ProductReading {
  bool is_direct;  ///< columns may be read where they lie, one after another
  bool is_cut;     ///< sums may go on from one part of the summed dim to the next
  bool is_small;   ///< the columns of a batch stay near
  bool is_nearest; ///< they are read where they lie, one after another, in the first cache
  bool is_turned;  ///< each may be read along the summed dim, a square of columns and terms at once
};
ProductReading product_reading(const Product& product, const Nest& nest, JoinedDims& joined,
                               const Machine& machine);
/// Registers that a vector of sums takes.
int sum_registers(const Nest& nest);

/// A tile of products of matrices: rows, and columns in vectors.
struct ProductTile {
  int rows = 1, vectors = 1;
  friend bool operator==(const ProductTile&, const ProductTile&) = default;
};

/// What the rules say of products with so many rows and columns, where those are known. The sums
/// of a tile fill 24 of 32 registers or 12 of 16; few rows are made up for by columns.
ProductTile rule_tile(const Nest& nest, const Machine& machine, int64_t most_rows,
                      std::optional<int64_t> columns);

/// The schedule of such a nest by the rules.
Schedule product_schedule(const Nest& nest, const Machine& machine);
/// Those with other tiles that fit the registers, the rules' own first.
std::vector<Schedule> product_schedules(const Nest& nest, const Machine& machine);

} // namespace kolam::nest
