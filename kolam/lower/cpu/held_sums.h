/// Sums of products that wait in working memory while other parts of the summed dim are read.
#pragma once

#include "kolam/lower/cpu/accumulation.h"
#include "kolam/lower/cpu/product_factors.h"

namespace kolam::lower::cpu {

/// Room for the sums of so many rows and columns.
struct HeldShape {
  int64_t rows, width;

  int64_t cells() const { return rows * width; }
  /// Of the sums that are added to and, behind them, of `slots` that wait for later chunks.
  int64_t bytes(int64_t slots, DType dtype) const {
    return cells() * (1 + slots) * byte_width(dtype);
  }
};

/// Rows and columns [first, last).
struct HeldRange {
  Value first_row, last_row, first, last;
};

/// The sums of a group of columns of one product, one row after another. Code for tiles of them is
/// emitted inside `with_lanes` of all lanes.
class HeldSums {
public:
  HeldSums(Value memory, const HeldShape& shape, const HeldRange& range,
           ProductArithmetic& arithmetic, Emission& emission)
      : memory_(memory), shape_(shape), range_(range), arithmetic_(arithmetic), e_(emission),
        lanes_(emission.machine.lanes()) {}

  /// Those of a tile, row by row.
  Values load(const Rows& rows, const Panel& panel);
  void store(const Rows& rows, const Panel& panel, ValueSpan sums);

  /// All are zero.
  void clear();
  /// Takes the sums as those of a chunk: merges earlier ones in front of them, and lets them wait
  /// for later ones. Those of the last chunk are then of all.
  void merge(const ChunkPlace& chunk);

private:
  Coordinate of_tile(const Rows& rows, int row, const Panel& panel, int vector);
  /// For each vector of sums.
  void each(llvm::function_ref<void(const Coordinate&)> body);
  Value load_cells(const Coordinate& number);
  void store_cells(const Coordinate& number, Value cells);

  Value memory_;
  HeldShape shape_;
  HeldRange range_;
  ProductArithmetic& arithmetic_;
  Emission& e_;
  int lanes_;
};

} // namespace kolam::lower::cpu
