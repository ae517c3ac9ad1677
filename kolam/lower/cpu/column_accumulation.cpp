// Emits chunks row by row, and the pairwise tree over them, for all columns of a block.
#include "kolam/lower/cpu/column_accumulation.h"

#include "kolam/lower/cpu/result_cells.h"

#include "llvm/ADT/bit.h"

namespace kolam::lower::cpu {
namespace {

using mlir::arith::CmpIPredicate;

/// Rows that are added to a column's state between its load and its store.
constexpr int64_t kRows = kTiles.rows_at_once;

class ColumnEmitter {
public:
  ColumnEmitter(const std::vector<DType>& states, const Columns& columns,
                const std::function<Combiner(const Coordinate&)>& combiner, int64_t slots,
                Emission& e)
      : dtypes_(states), columns_(columns), combiner_(combiner), e_(e) {
    for (DType dtype : dtypes_)
      pointers_.push_back(e_.scratch(dtype, (slots + 1) * columns.most));
  }

  /// The chunk of `count` >= 1 rows from `start`.
  void emit_chunk(Value start, Value count) {
    auto has = [&](int64_t rows) {
      return e_.b.createOrFold<mlir::arith::CmpIOp>(CmpIPredicate::sge, count, e_.i64(rows));
    };
    Value begun = e_.choose(
        has(kRows),
        [&] {
          emit_rows(start, kRows, /*is_first=*/true);
          return Values{e_.i64(kRows)};
        },
        [&] {
          emit_rows(start, 1, /*is_first=*/true);
          return Values{e_.i64(1)};
        })[0];
    Value left = e_.b.createOrFold<mlir::arith::RemUIOp>(e_.sub(count, begun), e_.i64(kRows));
    Value whole = e_.sub(count, left);
    e_.loop(begun, whole, [&](Value row) { emit_rows(e_.add(start, row), kRows, false); }, kRows);
    e_.loop(whole, count, [&](Value row) { emit_rows(e_.add(start, row), 1, false); });
  }

  /// Slot `level` merged in front of the chunk's states.
  void merge_slot(Value level) {
    each([&](const Combiner& combiner, const Coordinate& offset, const Coordinate&) {
      store(kChunk, offset, combiner.merge(load(slot(level), offset), load(kChunk, offset)));
    });
  }

  void store_slot(Value level) {
    each([&](const Combiner&, const Coordinate& offset, const Coordinate&) {
      store(slot(level), offset, load(kChunk, offset));
    });
  }

  Values load_slot(Value level, const Coordinate& offset) { return load(slot(level), offset); }
  Values load_chunk(const Coordinate& offset) { return load(kChunk, offset); }

  void
  each(llvm::function_ref<void(const Combiner&, const Coordinate& offset, const Coordinate& column)>
           body) {
    emit_columns(
        columns_,
        [&](const Coordinate& offset, const Coordinate& column) {
          body(combiner_(column), offset, column);
        },
        e_);
  }

private:
  static constexpr std::nullptr_t kChunk = nullptr; ///< where the chunk's own states lie

  void emit_rows(Value start, int64_t rows, bool is_first) {
    each([&](const Combiner& combiner, const Coordinate& offset, const Coordinate&) {
      Values state = is_first ? combiner.first(start) : load(kChunk, offset);
      for (int64_t row = is_first; row < rows; ++row)
        state = combiner.step(state, Coordinate(e_.add(start, e_.i64(row))));
      store(kChunk, offset, state);
    });
  }

  /// The first element of a slot, behind the chunk's own.
  Value slot(Value level) { return e_.mul(e_.add(level, e_.i64(1)), e_.i64(columns_.most)); }

  Values load(Value first, const Coordinate& offset) {
    Values state;
    for (auto [dtype, pointer] : llvm::zip(dtypes_, pointers_))
      state.push_back(e_.load(pointer, dtype, first ? e_.add(Coordinate(first), offset) : offset));
    return state;
  }

  void store(Value first, const Coordinate& offset, ValueSpan state) {
    for (auto [dtype, pointer, value] : llvm::zip(dtypes_, pointers_, state))
      e_.store(pointer, dtype, first ? e_.add(Coordinate(first), offset) : offset, value);
  }

  const std::vector<DType>& dtypes_;
  const Columns& columns_;
  const std::function<Combiner(const Coordinate&)>& combiner_;
  Emission& e_;
  Values pointers_;
};

} // namespace

void emit_columns(const Columns& columns,
                  llvm::function_ref<void(const Coordinate&, const Coordinate&)> body,
                  Emission& e) {
  auto at = [&](Value offset, int lanes = 2) {
    const int64_t stride = lanes > 1;
    body(Coordinate::progression(offset, stride),
         Coordinate::progression(e.add(columns.first, offset), stride));
  };
  Value left = e.b.createOrFold<mlir::arith::RemUIOp>(columns.count, e.i64(columns.lanes));
  Value whole = e.sub(columns.count, left);
  e.loop(
      e.i64(0), whole, [&](Value i) { e.with_lanes(columns.lanes, {}, [&] { at(i); }); },
      columns.lanes);
  Value some = e.b.createOrFold<mlir::arith::CmpIOp>(CmpIPredicate::sgt, left, e.i64(0));
  e.when(some, [&] { with_cells(columns.lanes, left, e, [&](int lanes) { at(whole, lanes); }); });
}

void emit_column_accumulation(
    const Accumulate& order, Value length, const std::vector<DType>& states, const Columns& columns,
    const std::function<Combiner(const Coordinate&)>& combiner,
    const std::function<void(const Coordinate&, const Coordinate&, ValueSpan)>& finish,
    Emission& e) {
  Value chunks = e.b.createOrFold<mlir::arith::CeilDivSIOp>(length, e.i64(order.chunk));
  auto known = constant_of(chunks);
  // As in emit_accumulation: slot l holds the merged states of 2^l chunks.
  int64_t levels = order.in_order ? 1 : known ? llvm::bit_width(static_cast<uint64_t>(*known)) : 63;
  bool is_single = known == 1;
  ColumnEmitter emitter(states, columns, combiner, is_single ? 0 : levels, e);
  auto spread = [&](ValueSpan state) { return e.spread(state); };
  if (is_single) {
    emitter.emit_chunk(e.i64(0), length);
    return emitter.each([&](const Combiner&, const Coordinate& offset, const Coordinate& column) {
      finish(offset, column, emitter.load_chunk(offset));
    });
  }
  auto run = [&](Value chunk) {
    Value start = e.mul(chunk, e.i64(order.chunk));
    Value count =
        mlir::arith::MinSIOp::create(e.b, e.sub(length, start), e.i64(order.chunk)).getResult();
    emitter.emit_chunk(start, count);
    if (order.in_order) {
      Value merges = mlir::arith::MinSIOp::create(e.b, chunk, e.i64(1));
      e.loop(e.i64(0), merges, [&](Value level) { emitter.merge_slot(level); });
      emitter.store_slot(e.i64(0));
      return;
    }
    Value ones = mlir::math::CountTrailingZerosOp::create(
        e.b, mlir::arith::XOrIOp::create(e.b, chunk, e.i64(-1)));
    e.loop(e.i64(0), ones, [&](Value level) { emitter.merge_slot(level); });
    emitter.store_slot(ones);
  };
  e.loop(e.i64(0), chunks, [&](Value chunk) { e.unless_cancelled([&] { run(chunk); }); });
  Value any = e.b.createOrFold<mlir::arith::CmpIOp>(CmpIPredicate::sgt, chunks, e.i64(0));
  Value lowest =
      order.in_order ? e.i64(0) : mlir::math::CountTrailingZerosOp::create(e.b, chunks).getResult();
  auto merged = [&](const Combiner& combiner, const Coordinate& offset) {
    return e.loop(e.add(lowest, e.i64(1)), e.i64(levels), emitter.load_slot(lowest, offset),
                  [&](Value level, ValueSpan later) {
                    Value shifted = mlir::arith::ShRUIOp::create(e.b, chunks, level);
                    Value bit = mlir::arith::TruncIOp::create(e.b, e.b.getI1Type(), shifted);
                    return e.choose(
                        bit,
                        [&] { return combiner.merge(emitter.load_slot(level, offset), later); },
                        [&] { return Values(later.begin(), later.end()); });
                  });
  };
  emitter.each([&](const Combiner& combiner, const Coordinate& offset, const Coordinate& column) {
    finish(offset, column,
           e.choose(
               any, [&] { return merged(combiner, offset); },
               [&] { return spread(combiner.empty()); }));
  });
}

} // namespace kolam::lower::cpu
