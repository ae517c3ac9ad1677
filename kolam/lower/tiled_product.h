/// One product of matrices inside a nest: its factors in memory or packed, and the sums of a tile.
#pragma once

#include "kolam/lower/dots.h"
#include "kolam/lower/emission.h"
#include "kolam/lower/product.h"
#include "kolam/lower/strided.h"

namespace kolam::lower {

/// `lanes` columns each of `vectors` vectors from `column`; of the last vector only the first
/// `active` count where that is set.
struct Columns {
  Value first;
  int vectors;
  Value active;
};

/// `count` rows from `first`, counted over all row dims.
struct Rows {
  Value first;
  int count;
};

/// What the batch dims are while tiles are emitted.
using Batch = Values;

/// Emits the sums of tiles of one product. Factors are read where they lie if that is at fixed
/// strides, and columns one after another; else they are first packed into working memory:
///
///     panel[k][column], one panel of columns for all rows;    block[row][k], for each tile
///
/// Where the machine has dot products of groups of factors (dots.h), those of a group lie side by
/// side: panel[k / group][column][k % group].
class TiledProduct {
public:
  TiledProduct(const nest::Product& product, Emission& emission);

  /// Whether the columns can be read without packing.
  bool has_direct_columns() const;
  /// Whether the sums can go on from one part of the summed dim to the next: it is one dim, one
  /// chain, and both factors are read where they lie.
  bool can_be_cut() const;
  /// The extent of that dim; how many products a cell sums.
  Value summed_count();

  /// How many bytes of working memory are needed for tiles of so many rows and vectors, and where
  /// they are. Nothing is packed where columns are read directly.
  Value working_bytes(int rows, int vectors);
  void set_working_memory(Value memory, int vectors);

  void pack(const Batch& batch, const Columns& columns);
  /// From here on columns are read where they lie.
  void use_direct_columns() { is_packed_ = false; }
  /// The sums of a tile, row by row, before `result`.
  Values sums(const Batch& batch, const Rows& rows, const Columns& columns);
  /// The sums plus those of [begin, end) of the summed dim, of columns that are read directly.
  Values add_part(const Batch& batch, const Rows& rows, const Columns& columns, ValueSpan sums,
                  Value begin, Value end);

  ProductArithmetic arithmetic;
  mlir::Operation* op() const { return op_; }

private:
  struct Places; // of a tile's factors

  Values result_index(const Batch& batch, Value row, Value column);
  Index operand_index(unsigned operand, IndexSpan all);
  Values summed_strides(const std::optional<Strided>& cells, int64_t step);
  void pack_rows(const Batch& batch, const Rows& rows);
  void pack_transposed(const Batch& batch, const Columns& columns);
  void pack_groups(const Batch& batch, const Columns& columns);
  Value column_cells(const Batch& batch, const Columns& columns, int vector, IndexSpan summed);
  Values dot_sums(const Batch& batch, const Rows& rows, const Columns& columns);
  Value panel_bytes(int vectors);
  bool has_whole_groups();
  Places places(const Batch& batch, const Rows& rows, const Columns& columns, bool is_packed);
  std::pair<Values, Values> factors(const Places& places, IndexSpan summed);
  Value to_kernel(Value factor);

  Emission& e_;
  mlir::Operation* op_;
  nest::MatrixDims dims_;
  unsigned rows_of_, columns_of_;
  space::Signature signature_;
  Accumulate order_;
  Dots dots_;
  DType factor_;
  Values shape_, row_extents_, summed_;
  std::optional<Strided> rows_, columns_; ///< in memory
  bool is_packed_ = true;                 ///< the columns
  Value panel_, block_;
  int lanes_ = 1;
};

} // namespace kolam::lower
