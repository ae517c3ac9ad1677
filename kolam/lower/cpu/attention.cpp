// kolam.attention as a nest of its own: tasks of query rows, tiles of rows, blocks of keys.
#include "kolam/lower/cpu/accumulation.h"
#include "kolam/lower/cpu/attention_tile.h"
#include "kolam/lower/cpu/reduction.h"
#include "kolam/lower/cpu/shuffles.h"
#include "kolam/lower/cpu/whole.h"
#include "kolam/lower/scalar_builder.h"

#include <limits>

namespace kolam::lower::cpu {
namespace {

/// Walks over the rows of a task.
class TaskEmitter {
public:
  TaskEmitter(const AttentionCode& code, int vectors, const AttentionMemory& memory)
      : code_(code), e_(code.e), vectors_(vectors), memory_(memory) {}

  void emit(Value task) {
    Value chunks = e_.extent(
        ceildiv(ir::shape_of(code_.op.getResult()).rbegin()[1], Extent(ir::kAttentionRows)));
    Values tasks(code_.result.begin(), code_.result.end() - 2);
    tasks.push_back(chunks);
    head_ = e_.unravel(Coordinate(task), tasks);
    Value chunk = head_.pop_back_val().base;
    if (code_.has_window)
      chunk = shuffled(chunk, chunks);
    Value first = e_.mul(chunk, e_.i64(ir::kAttentionRows));
    Value last = smaller(e_.add(first, e_.i64(ir::kAttentionRows)), code_.rows);
    int64_t width = int64_t{vectors_} * code_.lanes;
    if (constant_of(code_.rows).value_or(1) % width == 0) // tasks too are multiples of it
      return e_.loop(first, last, [&](Value row) { emit_tile(row, vectors_, {}); }, width);
    Value left = e_.b.createOrFold<mlir::arith::RemSIOp>(e_.sub(last, first), e_.i64(width));
    Value whole = e_.sub(last, left);
    e_.loop(first, whole, [&](Value row) { emit_tile(row, vectors_, {}); }, width);
    emit_rest(whole, left);
  }

private:
  /// Fewer rows than a tile has, in as few vectors as hold them.
  void emit_rest(Value row, Value count) {
    using Predicate = mlir::arith::CmpIPredicate;
    auto rows = constant_of(code_.rows);
    for (int vectors = 1; vectors <= vectors_; ++vectors) {
      int64_t most = int64_t{vectors} * code_.lanes, least = most - code_.lanes;
      // Tasks are multiples of the width: only the last has a rest, always the same.
      if (int64_t rest = rows.value_or(0) % (int64_t{vectors_} * code_.lanes);
          rows && (rest <= least || rest > most))
        continue;
      Value fits = both(e_.compare(Predicate::sgt, count, e_.i64(least)),
                        e_.compare(Predicate::sle, count, e_.i64(most)));
      e_.when(fits, [&] { emit_tile(row, vectors, count); });
    }
  }
  Value both(Value x, Value y) { return e_.b.createOrFold<mlir::arith::AndIOp>(x, y); }

  /// 0, n - 1, 1, n - 2, ...: under a causal mask neighbours together see as many keys as any two,
  /// so threads that share the tasks in one cut have as much to do.
  Value shuffled(Value chunk, Value chunks) {
    ScalarBuilder s(e_.b);
    Value half = s.lshr(chunk, e_.i64(1)), is_odd = s.ine(s.and_(chunk, e_.i64(1)), e_.i64(0));
    return s.select(is_odd, e_.sub(e_.sub(chunks, e_.i64(1)), half), half);
  }

  Value smaller(Value x, Value y) { return e_.b.createOrFold<mlir::arith::MinSIOp>(x, y); }
  Value larger(Value x, Value y) { return e_.b.createOrFold<mlir::arith::MaxSIOp>(x, y); }

  void emit_tile(Value row, int vectors, Value active) {
    AttentionTile tile{code_, memory_, head_, row, vectors, active};
    emit_queries(tile);
    e_.with_lanes(code_.lanes, {}, [&] {
      Value zero = e_.constant(code_.wide, 0);
      Value lowest = e_.constant(code_.wide, -std::numeric_limits<double>::infinity());
      tile.store(memory_.max, e_.i64(0), Values(vectors, lowest));
      tile.store(memory_.sum, e_.i64(0), Values(vectors, zero));
      e_.loop(e_.i64(0), code_.columns,
              [&](Value line) { tile.store(memory_.found, line, Values(vectors, zero)); });
    });
    emit_blocks(tile);
    e_.with_lanes(code_.lanes, {}, [&] { emit_quotients(tile); });
    emit_result(tile);
  }

  /// Lines [0, whole) of `count` go by blocks of as many rows as lanes; the others by themselves.
  Value whole_lines(Value count) {
    Value left = e_.b.createOrFold<mlir::arith::RemSIOp>(count, e_.i64(code_.lanes));
    return e_.sub(count, left);
  }

  /// The tile's queries, a line for each element.
  void emit_queries(const AttentionTile& tile) {
    Index index = code_.leading(code_.op.getQ(), head_);
    index.append(2, Coordinate());
    Value whole = whole_lines(code_.depth);
    auto by_blocks = [&](Value first) {
      std::vector<Values> columns; // by vector
      for (int vector = 0; vector < tile.vectors; ++vector) {
        Values lines;
        for (int64_t row = 0; row < code_.lanes; ++row) {
          Value number = e_.add(tile.rows_of(vector).base, e_.i64(row));
          if (Value rows = tile.active_in(vector)) // lanes behind the last row repeat it
            number = smaller(number, e_.add(tile.rows_of(vector).base, e_.sub(rows, e_.i64(1))));
          index.rbegin()[1] = number;
          index.back() = Coordinate::progression(first, 1);
          lines.push_back(e_.spread(code_.widened(e_.cell(code_.op.getQ(), index))));
        }
        columns.push_back(transposed(lines, e_));
      }
      for (int64_t line = 0; line < code_.lanes; ++line) {
        Values cells;
        for (const Values& column : columns)
          cells.push_back(column[line]);
        tile.store(memory_.q, e_.add(first, e_.i64(line)), cells);
      }
    };
    e_.with_lanes(code_.lanes, {}, [&] { e_.loop(e_.i64(0), whole, by_blocks, code_.lanes); });
    e_.loop(whole, code_.depth, [&](Value line) {
      Values cells;
      for (int vector = 0; vector < tile.vectors; ++vector)
        e_.with_lanes(code_.lanes, tile.active_in(vector), [&] {
          index.rbegin()[1] = tile.rows_of(vector);
          index.back() = Coordinate(line);
          cells.push_back(e_.spread(code_.widened(e_.cell(code_.op.getQ(), index))));
        });
      e_.with_lanes(code_.lanes, {}, [&] { tile.store(memory_.q, line, cells); });
    });
  }

  /// Every block that the bounds let a row see.
  void emit_blocks(const AttentionTile& tile) {
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
          emit_block_if_seen(tile, range);
        },
        ir::kAttentionKeys);
  }

  void emit_block_if_seen(const AttentionTile& tile, const KeyRange& range) {
    auto open = [&] {
      emit_block(tile, range, {});
      return Values();
    };
    auto masked = [&] {
      Visible visible = emit_visible(tile, range);
      auto partly = [&] {
        emit_block(tile, visible.keys, visible.rows);
        return Values();
      };
      if (!code_.is_masked) // then some key is hidden
        e_.when(visible.any, [&] { partly(); });
      else
        e_.when(visible.any, [&] { e_.choose(visible.all, open, partly); });
      return Values();
    };
    if (code_.is_masked)
      masked();
    else if (code_.has_window)
      e_.choose(emit_window_is_open(tile, range), open, masked);
    else
      open();
  }

  /// found / sum, 0 where the sum is 0; and what is kept.
  void emit_quotients(const AttentionTile& tile) {
    ScalarBuilder s(e_.b);
    Value zero = e_.constant(code_.wide, 0);
    Values sums = tile.load(memory_.sum, e_.i64(0));
    if (Value lse = code_.op.getLse())
      emit_lse(tile, lse, sums);
    e_.loop(e_.i64(0), code_.columns, [&](Value line) {
      Values found = tile.load(memory_.found, line);
      for (auto [cell, sum] : llvm::zip(found, sums))
        cell = s.select(s.feq(sum, zero), zero, s.div(cell, sum));
      tile.store(memory_.found, line, found);
    });
  }

  /// maximum + log(sum)
  void emit_lse(const AttentionTile& tile, Value lse, ValueSpan sums) {
    ScalarBuilder s(e_.b);
    Values most = tile.load(memory_.max, e_.i64(0));
    for (int vector = 0; vector < tile.vectors; ++vector) {
      Value kept = s.add(most[vector], emit_function(Fn::log, code_.wide, sums[vector], e_));
      Index index(head_);
      index.push_back(tile.rows_of(vector));
      e_.with_lanes(code_.lanes, tile.active_in(vector),
                    [&] { e_.store(1, code_.wide, e_.ravel(index, e_.shape(lse)), kept); });
    }
  }

  void emit_result(const AttentionTile& tile) {
    Value whole = whole_lines(code_.columns);
    auto store = [&](Value row, const Coordinate& column, Value cells) {
      Index index(head_);
      index.push_back(row);
      index.push_back(column);
      e_.store(0, code_.dtype, e_.ravel(index, code_.result),
               emit_cast(code_.wide, code_.dtype, cells, e_));
    };
    auto by_blocks = [&](Value first) {
      std::vector<Values> rows(tile.vectors);
      for (int64_t line = 0; line < code_.lanes; ++line)
        for (auto [vector, cells] :
             llvm::enumerate(tile.load(memory_.found, e_.add(first, e_.i64(line)))))
          rows[vector].push_back(cells);
      for (int vector = 0; vector < tile.vectors; ++vector)
        for (auto [lane, cells] : llvm::enumerate(transposed(rows[vector], e_))) {
          Value row = e_.i64(static_cast<int64_t>(lane)), count = tile.active_in(vector);
          e_.when(count ? e_.compare(mlir::arith::CmpIPredicate::slt, row, count)
                        : e_.constant(DType::boolean, 1),
                  [&, cells = cells] {
                    store(e_.add(tile.rows_of(vector).base, row), Coordinate::progression(first, 1),
                          cells);
                  });
        }
    };
    e_.with_lanes(code_.lanes, {}, [&] { e_.loop(e_.i64(0), whole, by_blocks, code_.lanes); });
    e_.loop(e_.i64(0), tile.count(), [&](Value row) {
      code_.by_lanes(e_.sub(code_.columns, whole), [&](const Coordinate& cell) {
        Coordinate column = e_.add(Coordinate(whole), cell);
        Coordinate line = e_.add(e_.mul(column, e_.i64(tile.width())), Coordinate(row));
        store(e_.add(tile.row, row), column, e_.load(memory_.found, code_.wide, line));
      });
    });
  }

  const AttentionCode& code_;
  Emission& e_;
  int vectors_;
  const AttentionMemory& memory_;
  Index head_;
};

/// Keys beyond 2^62 are none.
std::optional<int64_t> reach_of(std::optional<uint64_t> keys) {
  constexpr uint64_t kFar = uint64_t{1} << 62; // bound
  return keys ? std::optional(static_cast<int64_t>(std::min(*keys, kFar))) : std::nullopt;
}

} // namespace

AttentionCode::AttentionCode(ir::AttentionOp op, Emission& emission)
    : op(op), e(emission), dtype(ir::dtype_of(op.getResult())), wide(ir::dtype_of(op.getScale())),
      lanes(nest::root_stage(e.schedule)->lanes), group(e.machine.registers() / 4),
      result(e.shape(op.getResult())), left(reach_of(op.getLeft())),
      right(reach_of(op.getRight())) {
  rows = result.rbegin()[1];
  columns = result.back();
  keys = e.shape(op.getK()).rbegin()[1];
  depth = e.shape(op.getQ()).back();
  auto where_it_lies = [&](Value operand) {
    auto cells = strided_elements(operand, static_cast<int>(ir::rank_of(operand)) - 1, e);
    return cells && cells->dtype == wide ? cells : std::nullopt;
  };
  k = where_it_lies(op.getK());
  v = where_it_lies(op.getV());
  has_window = left || right;
  if (Value mask = op.getMask()) {
    Shape shape = ir::shape_of(mask);
    has_mask_cells = !(shape.rbegin()[1] == Extent(1)) && !(shape.back() == Extent(1));
  }
  is_masked = op.getMask() || op.getQSegments() || !op.getVisible().empty();
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

Index AttentionCode::mask_index(IndexSpan head, const Coordinate& row,
                                const Coordinate& key) const {
  Value mask = op.getMask();
  Shape shape = ir::shape_of(mask);
  Index index = leading(mask, head);
  index.push_back(shape.rbegin()[1] == Extent(1) ? Coordinate(e.i64(0)) : row);
  index.push_back(shape.back() == Extent(1) ? Coordinate(e.i64(0)) : key);
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
    if (constant_of(left_over) == 1) // Note [One lane] in result_cells.cpp
      return body(Coordinate(whole));
    e.with_lanes(lanes, left_over, [&] { body(at(whole)); });
  });
}

Value AttentionCode::widened(Value cell) const { return emit_cast(dtype, wide, cell, e); }

bool has_lines(const Strided& cells) { return cells.has_jumps(cells.strides.size() - 2); }

void with_memory(const AttentionCode& code, int vectors,
                 llvm::function_ref<void(const AttentionMemory&)> body) {
  Emission& e = code.e;
  Value bytes = e.i64(0), row = e.i64(int64_t{vectors} * code.lanes);
  Value block = e.i64(ir::kAttentionKeys);
  AttentionMemory memory;
  std::vector<std::pair<Value*, Value>> places; // and their offsets
  auto place = [&](Value& pointer, Value lines, Value line, int64_t cell) {
    places.emplace_back(&pointer, bytes);
    const int64_t unit = e.machine.caches.line;
    Value size = e.add(e.mul(e.mul(lines, line), e.i64(cell)), e.i64(unit - 1));
    bytes =
        e.add(bytes, e.mul(e.b.createOrFold<mlir::arith::DivSIOp>(size, e.i64(unit)), e.i64(unit)));
  };
  int64_t cell = byte_width(code.wide);
  place(memory.q, code.depth, row, cell);
  place(memory.scores, block, row, cell);
  place(memory.found, code.columns, row, cell);
  place(memory.sums, e.i64(ir::kAttentionLanes / 2), row, cell);
  if (auto depth = constant_of(code.depth); !depth || *depth > kContractChain.chunk) {
    Value slots = chunk_slots(chunks_of(code.depth, kContractChain, e), false, e);
    place(memory.slots, e.mul(slots, e.i64(code.group)), row, cell);
  }
  place(memory.max, e.i64(1), row, cell);
  place(memory.sum, e.i64(1), row, cell);
  if (code.is_masked || code.has_window)
    place(memory.visible, block, e.i64(vectors), sizeof(int32_t));
  if (code.has_mask_cells)
    place(memory.mask, block, row, cell);
  if (!code.k)
    place(memory.k, block, code.depth, cell);
  if (!code.v)
    place(memory.v, block, code.columns, cell);
  if (code.k && has_lines(*code.k))
    place(memory.k_lines, block, e.i64(1), sizeof(int64_t));
  if (code.v && has_lines(*code.v))
    place(memory.v_lines, block, e.i64(1), sizeof(int64_t));
  e.with_working_memory(bytes, [&](Value first) {
    for (auto [pointer, offset] : places)
      *pointer = e.advanced(first, offset);
    body(memory);
  });
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
  AttentionCode code(op, e);
  if (ir::has_few_rows(op))
    return emit_rows(code);
  auto vectors = static_cast<int>(*nest::inner_step(e.schedule) / code.lanes);
  with_memory(code, vectors, [&](const AttentionMemory& memory) {
    TaskEmitter tasks(code, vectors, memory);
    e.loop(e.begin(), e.end(), [&](Value task) { tasks.emit(task); });
  });
}

} // namespace kolam::lower::cpu
