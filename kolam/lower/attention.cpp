// kolam.attention as a nest of its own: tasks of query rows, tiles of rows, blocks of keys.
#include "kolam/lower/attention_tile.h"
#include "kolam/lower/ops.h"
#include "kolam/lower/reduction.h"
#include "kolam/lower/scalar_builder.h"

#include <limits>

namespace kolam::lower {
namespace {

/// Cells along d and e beyond which scratch memory holds a part at a time.
constexpr int64_t kMostCells = 256;

/// Walks over the rows of a task.
class TaskEmitter {
public:
  explicit TaskEmitter(ir::AttentionOp op, Emission& e)
      : code_(op, e), e_(e), vectors_(vectors_of(code_)), memory_(code_, vectors_) {}

  void emit(Value task) {
    Value chunks = e_.extent(
        ceildiv(ir::shape_of(code_.op.getResult()).rbegin()[1], Extent(ir::kAttentionRows)));
    Values tasks(code_.result.begin(), code_.result.end() - 2);
    tasks.push_back(chunks);
    head_ = e_.unravel(Coordinate(task), tasks);
    Value first = e_.mul(head_.pop_back_val().base, e_.i64(ir::kAttentionRows));
    Value last = smaller(e_.add(first, e_.i64(ir::kAttentionRows)), code_.rows);
    Value whole = first;
    if (vectors_ > 1) {
      int64_t width = int64_t{vectors_} * code_.lanes;
      Value left = e_.b.createOrFold<mlir::arith::RemSIOp>(e_.sub(last, first), e_.i64(width));
      whole = e_.sub(last, left);
      e_.loop(first, whole, [&](Value row) { emit_tile(row, vectors_, {}); }, width);
    }
    e_.loop(
        whole, last,
        [&](Value row) { emit_tile(row, 1, smaller(e_.sub(last, row), e_.i64(code_.lanes))); },
        code_.lanes);
  }

private:
  /// Vectors of rows side by side: as many as the rows fill.
  static int vectors_of(const AttentionCode& code) {
    int most = code.e.machine.vector_bytes == 64 ? 3 : 2;
    auto rows = ir::shape_of(code.op.getResult()).rbegin()[1].constant();
    if (!rows)
      return most;
    if (*rows <= code.lanes)
      return 1;
    return *rows % (3 * code.lanes) != 0 && *rows % (2 * code.lanes) == 0 ? 2 : most;
  }

  Value smaller(Value x, Value y) { return e_.b.createOrFold<mlir::arith::MinSIOp>(x, y); }
  Value larger(Value x, Value y) { return e_.b.createOrFold<mlir::arith::MaxSIOp>(x, y); }

  void emit_tile(Value row, int vectors, Value active) {
    AttentionTile tile{code_, memory_, head_, row, vectors, active};
    if (!code_.is_deep)
      emit_queries(tile, e_.i64(0), code_.depth);
    if (!code_.is_broad)
      return emit_columns(tile, e_.i64(0), code_.columns);
    e_.loop(
        e_.i64(0), code_.columns,
        [&](Value column) {
          emit_columns(tile, column,
                       smaller(e_.sub(code_.columns, column), e_.i64(code_.column_chunk)));
        },
        code_.column_chunk);
  }

  /// The result's columns [column, column + columns) of the tile.
  void emit_columns(const AttentionTile& tile, Value column, Value columns) {
    e_.with_lanes(code_.lanes, {}, [&] {
      Value zero = e_.constant(code_.wide, 0);
      Value lowest = e_.constant(code_.wide, -std::numeric_limits<double>::infinity());
      tile.store(memory_.max, e_.i64(0), Values(tile.vectors, lowest));
      tile.store(memory_.sum, e_.i64(0), Values(tile.vectors, zero));
      e_.loop(e_.i64(0), columns,
              [&](Value line) { tile.store(memory_.found, line, Values(tile.vectors, zero)); });
    });
    emit_blocks(tile, column, columns);
    e_.with_lanes(code_.lanes, {}, [&] { emit_quotients(tile, columns); });
    emit_result(tile, column, columns);
  }

  /// Every block that the bounds let a row see.
  void emit_blocks(const AttentionTile& tile, Value column, Value columns) {
    Value low = e_.i64(0), high = code_.keys;
    if (code_.left)
      low = larger(e_.sub(tile.row, e_.i64(*code_.left)), low);
    if (code_.right)
      high = smaller(e_.add(e_.add(tile.row, tile.count()), e_.i64(*code_.right)), high);
    Value block_keys = e_.i64(ir::kAttentionKeys);
    Value start = e_.mul(e_.b.createOrFold<mlir::arith::DivSIOp>(low, block_keys), block_keys);
    e_.loop(
        start, high,
        [&](Value block) {
          // Groups start at multiples of the group.
          Value first = larger(e_.sub(low, block), e_.i64(0));
          first = e_.mul(e_.b.createOrFold<mlir::arith::DivSIOp>(first, e_.i64(code_.group)),
                         e_.i64(code_.group));
          KeyRange range{block, first, smaller(e_.sub(high, block), block_keys)};
          if (!code_.is_masked)
            return emit_block(tile, range, column, columns, {}, {});
          emit_visible(tile, range, [&](ValueSpan rows, Value all) {
            emit_block(tile, range, column, columns, rows, all);
          });
        },
        ir::kAttentionKeys);
  }

  /// found / sum, 0 where the sum is 0.
  void emit_quotients(const AttentionTile& tile, Value columns) {
    ScalarBuilder s(e_.b);
    Value zero = e_.constant(code_.wide, 0);
    Values sums = tile.load(memory_.sum, e_.i64(0));
    e_.loop(e_.i64(0), columns, [&](Value line) {
      Values found = tile.load(memory_.found, line);
      for (auto [cell, sum] : llvm::zip(found, sums))
        cell = s.select(s.feq(sum, zero), zero, s.div(cell, sum));
      tile.store(memory_.found, line, found);
    });
  }

  void emit_result(const AttentionTile& tile, Value column, Value columns) {
    e_.loop(e_.i64(0), tile.count(), [&](Value row) {
      code_.by_lanes(columns, [&](Coordinate line) {
        Coordinate cell = e_.add(e_.mul(line, e_.i64(tile.width())), Coordinate(row));
        Value found = e_.load(memory_.found, code_.wide, cell);
        Index index(head_);
        index.push_back(e_.add(tile.row, row));
        index.push_back(e_.add(line, Coordinate(column)));
        e_.store(0, code_.dtype, e_.ravel(index, code_.result),
                 emit_cast(code_.wide, code_.dtype, found, e_));
      });
    });
  }

  AttentionCode code_;
  Emission& e_;
  int vectors_;
  AttentionMemory memory_;
  Index head_;
};

int64_t chunk_of(Value extent) {
  auto known = constant_of(extent);
  return known && *known <= kMostCells ? std::max<int64_t>(*known, 1) : kMostCells;
}

bool exceeds(Value extent, int64_t chunk) {
  auto known = constant_of(extent);
  return !known || *known > chunk;
}

/// Keys beyond 2^62 are none.
std::optional<int64_t> reach_of(std::optional<uint64_t> keys) {
  constexpr uint64_t kFar = uint64_t{1} << 62;
  return keys ? std::optional(static_cast<int64_t>(std::min(*keys, kFar))) : std::nullopt;
}

} // namespace

AttentionCode::AttentionCode(ir::AttentionOp op, Emission& emission)
    : op(op), e(emission), dtype(ir::dtype_of(op.getResult())), wide(ir::dtype_of(op.getScale())),
      lanes(e.machine.vector_bytes / byte_width(wide)), group(e.machine.vector_bytes == 64 ? 8 : 4),
      result(e.shape(op.getResult())), left(reach_of(op.getLeft())),
      right(reach_of(op.getRight())) {
  rows = result.rbegin()[1];
  columns = result.back();
  keys = e.shape(op.getK()).rbegin()[1];
  depth = e.shape(op.getQ()).back();
  depth_chunk = chunk_of(depth);
  column_chunk = chunk_of(columns);
  is_deep = exceeds(depth, depth_chunk);
  is_broad = exceeds(columns, column_chunk);
  is_masked = left || right || op.getMask() || op.getQSegments() || !op.getVisible().empty();
}

Index AttentionCode::leading(Value operand, IndexSpan head) const {
  Shape whole = ir::shape_of(op.getResult()), own = ir::shape_of(operand);
  Index index;
  for (size_t dim = 0; dim < head.size(); ++dim) {
    int64_t shared = ir::shared_by(whole[dim], own[dim]);
    if (shared == 0)
      index.push_back(Coordinate(e.i64(0)));
    else if (shared == 1)
      index.push_back(head[dim]);
    else
      index.push_back(
          Coordinate(e.b.createOrFold<mlir::arith::DivSIOp>(head[dim].base, e.i64(shared))));
  }
  return index;
}

Index AttentionCode::mask_index(IndexSpan head, const Coordinate& row, Value key) const {
  Value mask = op.getMask();
  Shape shape = ir::shape_of(mask);
  Index index = leading(mask, head);
  index.push_back(shape.rbegin()[1] == Extent(1) ? Coordinate(e.i64(0)) : row);
  index.push_back(shape.back() == Extent(1) ? Coordinate(e.i64(0)) : Coordinate(key));
  return index;
}

void AttentionCode::by_lanes(Value count, llvm::function_ref<void(Coordinate)> body) const {
  Value left_over = e.b.createOrFold<mlir::arith::RemSIOp>(count, e.i64(lanes));
  Value whole = e.sub(count, left_over);
  auto at = [&](Value first) { return Coordinate::progression(first, 1); };
  e.loop(e.i64(0), whole, [&](Value i) { e.with_lanes(lanes, {}, [&] { body(at(i)); }); }, lanes);
  Value some =
      e.b.createOrFold<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::sgt, left_over, e.i64(0));
  e.when(some, [&] {
    if (constant_of(left_over) == 1) // Note [One lane] in lower.cpp
      return body(Coordinate(whole));
    e.with_lanes(lanes, left_over, [&] { body(at(whole)); });
  });
}

Value AttentionCode::widened(Value cell) const { return emit_cast(dtype, wide, cell, e); }

AttentionMemory::AttentionMemory(const AttentionCode& code, int most_vectors) {
  Emission& e = code.e;
  int64_t width = int64_t{most_vectors} * code.lanes, keys = ir::kAttentionKeys;
  q = e.scratch(code.wide, code.depth_chunk * width);
  scores = e.scratch(code.wide, keys * width);
  found = e.scratch(code.wide, code.column_chunk * width);
  sums = e.scratch(code.wide, ir::kAttentionLanes / 2 * width);
  max = e.scratch(code.wide, width);
  sum = e.scratch(code.wide, width);
  if (code.is_masked)
    visible = e.scratch(DType::i32, keys * most_vectors);
  auto is_plain = [&](Value operand) {
    return ir::dtype_of(operand) == code.wide && llvm::is_contained(e.nest().inputs, operand);
  };
  if (!is_plain(code.op.getK()))
    k = e.scratch(code.wide, keys * code.depth_chunk);
  if (!is_plain(code.op.getV()))
    v = e.scratch(code.wide, keys * code.column_chunk);
}

Values AttentionTile::load(Value lines, Value line) const {
  Emission& e = code.e;
  Value first = e.mul(line, e.i64(width()));
  Values result;
  for (int vector = 0; vector < vectors; ++vector)
    result.push_back(
        e.load(lines, code.wide,
               Coordinate::progression(e.add(first, e.i64(int64_t{vector} * code.lanes)), 1)));
  return result;
}

void AttentionTile::store(Value lines, Value line, ValueSpan values) const {
  Emission& e = code.e;
  Value first = e.mul(line, e.i64(width()));
  for (auto [vector, value] : llvm::enumerate(values))
    e.store(
        lines, code.wide,
        Coordinate::progression(e.add(first, e.i64(static_cast<int64_t>(vector) * code.lanes)), 1),
        value);
}

void emit_whole(ir::AttentionOp op, Emission& e) {
  TaskEmitter tasks(op, e);
  e.loop(e.begin(), e.end(), [&](Value task) { tasks.emit(task); });
}

} // namespace kolam::lower
