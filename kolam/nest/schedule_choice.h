/// Chooses the schedule of a nest.
#pragma once

#include "kolam/nest/nest.h"
#include "kolam/nest/schedule.h"
#include "kolam/support/machine.h"

namespace kolam::nest {

/// The names of a nest's ops in schedules: `y` for the root, then function and number.
std::vector<std::string> op_names(const Nest& nest);

/// The schedule that follows from the nest's signatures and the machine.
Schedule choose_schedule(const Nest& nest, const Machine& machine);

/// The schedules that lowering can follow for a nest, the rules' own first and alone where there is
/// nothing to choose. No choice changes a bit of any result.
std::vector<Schedule> schedules_for(const Nest& nest, const Machine& machine);

/// The tile of products of matrices that a schedule says: rows, and columns in vectors.
struct ProductTile {
  int rows = 1, vectors = 1;
  friend bool operator==(const ProductTile&, const ProductTile&) = default;
};
ProductTile tile_of(const Schedule& schedule, const Machine& machine);

/// What the rules say of products with so many rows and columns, where those are known. The sums
/// of a tile, each of `registers` registers, fill 24 of 32 registers or 12 of 16; few rows are made
/// up for by columns.
ProductTile rule_tile(const Machine& machine, int registers, int64_t most_rows,
                      std::optional<int64_t> columns);

} // namespace kolam::nest
