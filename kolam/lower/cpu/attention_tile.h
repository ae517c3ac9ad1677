/// The parts of kolam.attention's code: a tile of query rows, one in each lane of one vector or of
/// several side by side, against a block of keys.
#pragma once

#include "kolam/ir/attention.h"
#include "kolam/lower/cpu/emission.h"
#include "kolam/lower/strided.h"

namespace kolam::lower::cpu {

/// What all parts of the code of one op read.
struct AttentionCode {
  AttentionCode(ir::AttentionOp op, Emission& emission);

  mutable ir::AttentionOp op; ///< its own functions are not const
  Emission& e;
  DType dtype;    ///< of the operands and the result
  DType wide;     ///< in which all is computed
  int lanes;      ///< rows in a vector
  int group;      ///< keys, or columns, that share the loads of a tile's vectors
  bool is_masked; ///< some key may be hidden, and not by the window alone
  bool has_window;
  bool has_mask_cells = false; ///< the mask has an element of its own for each row and key
  Values result;               ///< extents
  Value rows, keys, depth, columns;
  std::optional<int64_t> left, right;
  std::optional<Strided> k, v; ///< where they lie in memory as they are

  /// The index of an operand at the leading dims of `head`, which are those of the result.
  Index leading(Value operand, IndexSpan head) const;
  /// The index of the mask's element for a row, or rows, and a key.
  Index mask_index(IndexSpan head, const Coordinate& row, const Coordinate& key) const;
  /// Calls `body(cells)` inside `with_lanes` for the elements [0, count) of a line.
  void by_lanes(Value count, llvm::function_ref<void(Coordinate)> body) const;
  Value widened(Value cell) const;
};

/// Working memory for one tile at a time. A line has an element for each row, or for each element
/// of a key.
struct AttentionMemory {
  Value q;       ///< a line for each element of a query
  Value scores;  ///< a line for each key of a block; then weights
  Value found;   ///< a line for each column of the result
  Value sums;    ///< a line for each half of the order's lanes
  Value slots;   ///< sums of chunks of long products that wait; null where all are one chain
  Value max;     ///< one line
  Value sum;     ///< one line
  Value visible; ///< for each key of a block and each vector a bit for each row
  Value mask;    ///< a line for each key of a block: what is added to the scores
  Value k, v;    ///< a line for each key of a block; null where the operand is read where it lies
  Value k_lines, v_lines; ///< i64: where the line of each key of a block lies, see has_lines
};
/// Whether the lines of keys lie at places of their own: no stride leads from one to the next.
bool has_lines(const Strided& cells);
/// Calls `body` with memory for tiles of up to `vectors` vectors; where there is none the nest
/// fails.
void with_memory(const AttentionCode& code, int vectors,
                 llvm::function_ref<void(const AttentionMemory&)> body);

/// A tile of `vectors` vectors of rows from `row` on. Only the first `active` lanes are rows where
/// that is set; some of each vector are.
struct AttentionTile {
  const AttentionCode& code;
  const AttentionMemory& memory;
  IndexSpan head;
  Value row;
  int vectors;
  Value active;

  int64_t width() const { return int64_t{vectors} * code.lanes; }
  Value count() const { return active ? active : code.e.i64(width()); }
  /// The lanes of a vector that are rows; null where all are.
  Value active_in(int vector) const {
    if (!active || vector < vectors - 1)
      return {};
    return code.e.sub(active, code.e.i64(int64_t{vector} * code.lanes));
  }
  Coordinate rows_of(int vector) const {
    return Coordinate::progression(code.e.add(row, code.e.i64(int64_t{vector} * code.lanes)), 1);
  }
  /// Vectors of a line that has an element for each row.
  Values load(Value lines, Value line) const;
  void store(Value lines, Value line, ValueSpan vectors) const;
};

/// The keys [first, last) of the block that starts at key `block`; counted from there.
struct KeyRange {
  Value block, first, last;
};

/// Whether rows and keys are of one segment, and whether the op's region lets rows see keys; of
/// rows or keys one may be the same for all lanes. Null where all are.
Value emit_in_segment(const AttentionCode& code, IndexSpan head, const Coordinate& rows,
                      const Coordinate& keys);
Value emit_in_region(const AttentionCode& code, IndexSpan head, const Coordinate& rows,
                     const Coordinate& keys);

/// Which rows of a tile see which keys of a block.
struct Visible {
  Values rows;   ///< for each vector, in one number: a bit for each row that sees some key
  KeyRange keys; ///< those that some row sees, and few around
  Value any;     ///< whether there is one
  Value all;     ///< whether every row sees every key
};
/// Writes a bit for each row and key of the range to memory.visible, and memory.mask where the mask
/// has such elements.
Visible emit_visible(const AttentionTile& tile, const KeyRange& range);
/// Whether the window lets every row see every key of the range.
Value emit_window_is_open(const AttentionTile& tile, const KeyRange& range);

/// Adds the keys of the range to the tile's maximum, sum and products. `rows` as emit_visible gives
/// them; none where every row sees every key.
void emit_block(const AttentionTile& tile, const KeyRange& range, ValueSpan rows);

/// The tasks [begin, end) of an op with few query rows (ir::has_few_rows), one row at a time: keys
/// lie in lanes for scores, columns for what they find.
void emit_rows(const AttentionCode& code);

} // namespace kolam::lower::cpu
