// Emits chunks, lanes and the pairwise tree over chunks.
#include "kolam/lower/accumulation.h"

namespace kolam::lower {
namespace {

/// Scratch memory for `count` states.
class StateMemory {
public:
  StateMemory(const Combiner& combiner, int64_t count, Emission& e)
      : dtypes_(combiner.dtypes), e_(e) {
    for (DType dtype : dtypes_)
      pointers_.push_back(e.scratch(dtype, count));
  }

  Values load(Value slot) {
    Values state;
    for (auto [dtype, pointer] : llvm::zip(dtypes_, pointers_))
      state.push_back(e_.load(pointer, dtype, cell_of(slot)));
    return state;
  }

  void store(Value slot, ValueSpan state) {
    for (auto [dtype, pointer, value] : llvm::zip(dtypes_, pointers_, state))
      e_.store(pointer, dtype, cell_of(slot), value);
  }

private:
  /// A state has a cell for each lane.
  Coordinate cell_of(Value slot) {
    Value first = e_.mul(slot, e_.i64(e_.lanes()));
    return Coordinate::progression(first, e_.lanes() > 1 ? 1 : 0);
  }

  const std::vector<DType>& dtypes_;
  Values pointers_;
  Emission& e_;
};

Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y, Emission& e) {
  return e.b.createOrFold<mlir::arith::CmpIOp>(predicate, x, y);
}

Value smaller(Value x, Value y, Emission& e) { return mlir::arith::MinSIOp::create(e.b, x, y); }

/// The halves of a state of `lanes` lanes, merged: lane l with l + lanes / 2, of which only the
/// first `count` lanes have elements where that is set.
Values emit_merged_halves(Values state, int64_t lanes, Value count, const Combiner& combiner,
                          Emission& e) {
  for (int64_t half = lanes / 2; half >= 1; half /= 2) {
    Values low = e.lanes_from(state, 0, half), high = e.lanes_from(state, half, half);
    Value left = count ? e.sub(count, e.i64(half)) : Value();
    e.with_lanes(static_cast<int>(half), {}, [&] {
      state = combiner.merge(low, high);
      if (!left)
        return;
      Value has_both = e.compare(mlir::arith::CmpIPredicate::slt,
                                 Coordinate::progression(e.i64(0), half > 1 ? 1 : 0), left);
      for (auto [merged, alone] : llvm::zip(state, low))
        merged = mlir::arith::SelectOp::create(e.b, has_both, merged, alone);
    });
  }
  return state;
}

/// A chunk of `count` >= 1 elements from `start` in the order of lanes, all lanes at once.
/// Starts are multiples of `lanes` where `is_aligned`.
Values emit_lanes(int64_t lanes, bool is_aligned, Value start, Value count,
                  const Combiner& combiner, Emission& e) {
  auto row_at = [&](Value row) {
    auto elements = Coordinate::progression(e.add(start, e.mul(row, e.i64(lanes))), 1);
    elements.is_aligned = is_aligned;
    return elements;
  };
  auto full = [&] {
    Values state;
    e.with_lanes(static_cast<int>(lanes), {}, [&] {
      Value rows = e.b.createOrFold<mlir::arith::DivSIOp>(count, e.i64(lanes));
      state = e.loop(e.i64(1), rows, combiner.first(row_at(e.i64(0))),
                     [&](Value row, ValueSpan s) { return combiner.step(s, row_at(row)); });
      Value left = e.sub(count, e.mul(rows, e.i64(lanes)));
      state = e.choose(
          compare(mlir::arith::CmpIPredicate::sgt, left, e.i64(0), e),
          [&] {
            Values next;
            e.with_lanes(static_cast<int>(lanes), left, [&] {
              next = combiner.step(state, row_at(rows));
              for (auto [stepped, kept] : llvm::zip(next, state))
                stepped = mlir::arith::SelectOp::create(e.b, e.active(), stepped, kept);
            });
            return next;
          },
          [&] { return state; });
    });
    return emit_merged_halves(state, lanes, {}, combiner, e);
  };
  auto part = [&] {
    Values state;
    e.with_lanes(static_cast<int>(lanes), count, [&] { state = combiner.first(row_at(e.i64(0))); });
    return emit_merged_halves(state, lanes, count, combiner, e);
  };
  if (auto constant = count.getDefiningOp<mlir::arith::ConstantIntOp>())
    return constant.value() >= lanes ? full() : part();
  return e.choose(compare(mlir::arith::CmpIPredicate::sge, count, e.i64(lanes), e), full, part);
}

/// One chunk of `count` >= 1 elements from `start`.
Values emit_chunk(const Accumulate& order, bool is_aligned, Value start, Value count,
                  StateMemory& lanes, const Combiner& combiner, Emission& e) {
  if (combiner.chunk)
    return combiner.chunk(start, count);
  if (order.order != Order::lanes)
    return e.loop(e.i64(1), count, combiner.first(Coordinate(start)),
                  [&](Value i, ValueSpan state) {
                    return combiner.step(state, Coordinate(e.add(start, i)));
                  });
  if (e.lanes() == 1 && order.lanes > 1)
    return emit_lanes(order.lanes, is_aligned, start, count, combiner, e);

  Value lane_count = smaller(count, e.i64(order.lanes), e);
  e.loop(e.i64(0), lane_count,
         [&](Value lane) { lanes.store(lane, combiner.first(Coordinate(e.add(start, lane)))); });
  Value rows = mlir::arith::CeilDivSIOp::create(e.b, count, e.i64(order.lanes));
  e.loop(e.i64(1), rows, [&](Value row) {
    Value base = e.mul(row, e.i64(order.lanes));
    Value left = smaller(e.sub(count, base), e.i64(order.lanes), e);
    e.loop(e.i64(0), left, [&](Value lane) {
      Coordinate element = e.add(e.add(start, base), lane);
      lanes.store(lane, combiner.step(lanes.load(lane), element));
    });
  });
  for (int64_t half = order.lanes / 2; half >= 1; half /= 2) {
    // Lane l merges with l + half where that has elements.
    Value pairs = e.clip(e.sub(lane_count, e.i64(half)), e.i64(half));
    e.loop(e.i64(0), pairs, [&](Value lane) {
      Values low = lanes.load(lane), high = lanes.load(e.add(lane, e.i64(half)));
      lanes.store(lane, combiner.merge(low, high));
    });
  }
  return lanes.load(e.i64(0));
}

bool at_most(Value value, int64_t limit) {
  auto constant = value.getDefiningOp<mlir::arith::ConstantIntOp>();
  return constant && constant.value() <= limit;
}

bool is_positive(Value value) {
  auto constant = value.getDefiningOp<mlir::arith::ConstantIntOp>();
  return constant && constant.value() > 0;
}

} // namespace

Values emit_accumulation(const Accumulate& order, Value segments, Value length,
                         const Combiner& cells, Emission& e) {
  // A state is a vector wherever several cells are computed at once, also where its elements are
  // the same for all lanes.
  Combiner combiner = cells;
  combiner.first = [&](const Coordinate& i) { return e.spread(cells.first(i)); };
  combiner.step = [&](ValueSpan state, const Coordinate& i) {
    return e.spread(cells.step(state, i));
  };
  combiner.merge = [&](ValueSpan a, ValueSpan b) { return e.spread(cells.merge(a, b)); };
  combiner.empty = [&] { return e.spread(cells.empty()); };
  if (cells.chunk)
    combiner.chunk = [&](Value start, Value count) { return e.spread(cells.chunk(start, count)); };
  StateMemory lanes(combiner, order.order == Order::lanes ? order.lanes : 1, e);
  // The common small case: one chunk, known at compile time.
  if (at_most(segments, 1) && at_most(length, order.chunk) && is_positive(segments) &&
      is_positive(length))
    return emit_chunk(order, true, e.i64(0), length, lanes, combiner, e);

  // Chunks start at multiples of the lanes where segments do.
  auto run = length.getDefiningOp<mlir::arith::ConstantIntOp>();
  bool is_aligned = order.chunk % order.lanes == 0 &&
                    (at_most(segments, 1) || (run && run.value() % order.lanes == 0));

  // The binary counter of ChunkTree: slot l holds the merged state of 2^l chunks while bit l of the
  // count is set.
  constexpr int64_t kLevels = 63;
  StateMemory slots(combiner, kLevels, e);
  Value chunks_each = mlir::arith::CeilDivSIOp::create(e.b, length, e.i64(order.chunk));
  Value chunks = e.mul(segments, chunks_each);
  auto bit_set = [&](Value level) {
    Value bit = mlir::arith::AndIOp::create(e.b, mlir::arith::ShRUIOp::create(e.b, chunks, level),
                                            e.i64(1));
    return compare(mlir::arith::CmpIPredicate::ne, bit, e.i64(0), e);
  };
  e.loop(e.i64(0), segments, [&](Value segment) {
    e.loop(e.i64(0), chunks_each, [&](Value chunk) {
      Value offset = e.mul(chunk, e.i64(order.chunk));
      Value count = smaller(e.sub(length, offset), e.i64(order.chunk), e);
      Value start = e.add(e.mul(segment, length), offset);
      Values state = emit_chunk(order, is_aligned, start, count, lanes, combiner, e);
      // Carries: as many merges as the chunk's number has trailing one bits.
      Value number = e.add(e.mul(segment, chunks_each), chunk);
      Value ones = mlir::math::CountTrailingZerosOp::create(
          e.b, mlir::arith::XOrIOp::create(e.b, number, e.i64(-1)));
      state = e.loop(e.i64(0), ones, state, [&](Value level, ValueSpan later) {
        return combiner.merge(slots.load(level), later);
      });
      slots.store(ones, state);
    });
  });
  Value any = compare(mlir::arith::CmpIPredicate::sgt, chunks, e.i64(0), e);
  return e.choose(
      any,
      [&] {
        Value lowest = mlir::math::CountTrailingZerosOp::create(e.b, chunks);
        Values state = slots.load(lowest);
        return e.loop(
            e.add(lowest, e.i64(1)), e.i64(kLevels), state, [&](Value level, ValueSpan later) {
              return e.choose(
                  bit_set(level), [&] { return combiner.merge(slots.load(level), later); },
                  [&] { return Values(later.begin(), later.end()); });
            });
      },
      [&] { return combiner.empty(); });
}

} // namespace kolam::lower
