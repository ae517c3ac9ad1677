/// The parts of kolam.attention's code: a tile of query rows, one in each lane of one vector or of
/// several side by side, against a block of keys.
#pragma once

#include "kolam/ir/attention.h"
#include "kolam/lower/emission.h"

namespace kolam::lower {

/// What all parts of the code of one op read.
struct AttentionCode {
  AttentionCode(ir::AttentionOp op, Emission& emission);

  mutable ir::AttentionOp op; ///< its own functions are not const
  Emission& e;
  DType dtype; ///< of the operands and the result
  DType wide;  ///< in which all is computed
  int lanes;   ///< rows in a vector
  int group;   ///< keys, or columns, that share the loads of a tile's vectors
  /// Cells along d and e that scratch memory holds at once; all of them where `is_whole`.
  int64_t depth_chunk, column_chunk;
  bool is_deep, is_broad; ///< more than one chunk along d, along e
  bool is_masked;         ///< some key may be hidden
  Values result;          ///< extents
  Value rows, keys, depth, columns;
  std::optional<int64_t> left, right;

  /// The index of an operand at the leading dims of `head`, which are those of the result.
  Index leading(Value operand, IndexSpan head) const;
  /// The index of the mask's cell for a row, or rows, and a key.
  Index mask_index(IndexSpan head, const Coordinate& row, Value key) const;
  /// Calls `body(cells)` inside `with_lanes` for the cells [0, count) of a line.
  void by_lanes(Value count, llvm::function_ref<void(Coordinate)> body) const;
  Value widened(Value cell) const;
};

/// Scratch memory, for one tile at a time. A cell for each row and key, each row and column...
struct AttentionMemory {
  explicit AttentionMemory(const AttentionCode& code, int most_vectors);
  Value q;        ///< [depth_chunk][rows]
  Value scores;   ///< [block][rows], then weights
  Value found;    ///< [column_chunk][rows]
  Value sums;     ///< [lanes of the order / 2][rows]
  Value max, sum; ///< [rows]
  Value visible;  ///< [block][vectors]: a bit for each row
  Value k, v;     ///< [block][chunk], where the operand is no plain memory
};

/// A tile of `vectors` vectors of rows from `row` on. Only the first `active` lanes are rows where
/// that is set.
struct AttentionTile {
  const AttentionCode& code;
  const AttentionMemory& memory;
  IndexSpan head;
  Value row;
  int vectors;
  Value active;

  int64_t width() const { return int64_t{vectors} * code.lanes; }
  Value count() const { return active ? active : code.e.i64(width()); }
  Coordinate rows_of(int vector) const {
    return Coordinate::progression(code.e.add(row, code.e.i64(int64_t{vector} * code.lanes)), 1);
  }
  /// Vectors of a line of scratch memory that has a cell for each row.
  Values load(Value lines, Value line) const;
  void store(Value lines, Value line, ValueSpan vectors) const;
};

/// The keys [first, last) of the block that starts at key `block`; counted from there.
struct KeyRange {
  Value block, first, last;
};

/// Which rows see which keys of the range, as bits in memory.visible. Calls `some` where any row
/// sees any key; it gets the rows that do, as bits in one number for each vector, and whether every
/// row sees every key.
void emit_visible(const AttentionTile& tile, const KeyRange& range,
                  llvm::function_ref<void(ValueSpan rows, Value all)> some);

/// Adds the keys of the range to the tile's maximum, sum and products: columns `column` ..
/// `column` + `columns` of v. `rows` as emit_visible gives them, none where nothing is masked.
void emit_block(const AttentionTile& tile, const KeyRange& range, Value column, Value columns,
                ValueSpan rows, Value all);

/// q's cells of the tile along d from `start`, a line for each.
void emit_queries(const AttentionTile& tile, Value start, Value count);

} // namespace kolam::lower
