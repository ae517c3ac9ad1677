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
      state.push_back(e_.load(pointer, dtype, slot));
    return state;
  }

  void store(Value slot, ValueSpan state) {
    for (auto [dtype, pointer, value] : llvm::zip(dtypes_, pointers_, state))
      e_.store(pointer, dtype, slot, value);
  }

private:
  const std::vector<DType>& dtypes_;
  Values pointers_;
  Emission& e_;
};

Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y, Emission& e) {
  return mlir::arith::CmpIOp::create(e.b, predicate, x, y);
}

Value smaller(Value x, Value y, Emission& e) { return mlir::arith::MinSIOp::create(e.b, x, y); }

/// One chunk of `count` >= 1 elements from `start`.
Values emit_chunk(const Accumulate& order, Value start, Value count, StateMemory& lanes,
                  const Combiner& combiner, Emission& e) {
  if (combiner.chunk)
    return combiner.chunk(start, count);
  if (order.order != Order::lanes)
    return e.loop(e.i64(1), count, combiner.first(start),
                  [&](Value i, ValueSpan state) { return combiner.step(state, e.add(start, i)); });

  Value lane_count = smaller(count, e.i64(order.lanes), e);
  e.loop(e.i64(0), lane_count,
         [&](Value lane) { lanes.store(lane, combiner.first(e.add(start, lane))); });
  Value rows = mlir::arith::CeilDivSIOp::create(e.b, count, e.i64(order.lanes));
  e.loop(e.i64(1), rows, [&](Value row) {
    Value base = e.mul(row, e.i64(order.lanes));
    Value left = smaller(e.sub(count, base), e.i64(order.lanes), e);
    e.loop(e.i64(0), left, [&](Value lane) {
      Value element = e.add(e.add(start, base), lane);
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
                         const Combiner& combiner, Emission& e) {
  StateMemory lanes(combiner, order.order == Order::lanes ? order.lanes : 1, e);
  // The common small case: one chunk, known at compile time.
  if (at_most(segments, 1) && at_most(length, order.chunk) && is_positive(segments) &&
      is_positive(length))
    return emit_chunk(order, e.i64(0), length, lanes, combiner, e);

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
      Values state = emit_chunk(order, start, count, lanes, combiner, e);
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
