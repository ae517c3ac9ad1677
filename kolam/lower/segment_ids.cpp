// Elements of kolam.segment_ids: known inside a segment, else searched for.
#include "kolam/lower/ops.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/lower/segments.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace kolam::lower {

Value emit_segment_of(mlir::Value offsets, const Coordinate& element, Emission& e) {
  ScalarBuilder s(e.b);
  Value last = e.sub(e.shape(offsets)[0], e.i64(1)); // the number of segments
  Value zeros = mlir::math::CountLeadingZerosOp::create(e.b, last);
  Value step = mlir::arith::ShLIOp::create(e.b, e.i64(1), e.sub(e.i64(63), zeros));
  Value first = element.is_uniform() ? e.i64(0) : e.spread(e.i64(0));
  auto holds = [&](ValueSpan state) -> Value { return s.sgt(state[1], e.i64(0)); };
  auto halve = [&](ValueSpan state) -> Values {
    Coordinate next = e.add(Coordinate::of(state[0]), Coordinate(state[1]));
    Value begin = e.cell(offsets, {e.clip(next, last)});
    Value begins =
        s.and_(e.compare(mlir::arith::CmpIPredicate::slt, next, Coordinate(last)),
               e.compare(mlir::arith::CmpIPredicate::sle, Coordinate::of(begin), element));
    Value half = mlir::arith::ShRUIOp::create(e.b, state[1], e.i64(1));
    return {s.select(begins, e.value(next), state[0]), half};
  };
  return e.repeat({first, step}, holds, halve)[0];
}

std::pair<Value, Value> emit_bounds(mlir::Value offsets, const Coordinate& segment, Emission& e) {
  return {e.cell(offsets, {segment}), e.cell(offsets, {e.add(segment, Coordinate(e.i64(1)))})};
}

Values emit_cells(ir::SegmentIdsOp op, IndexSpan index, Emission& e) {
  Value known = e.segment_of(op.getOffsets());
  return {known ? known : emit_segment_of(op.getOffsets(), index[0], e)};
}

} // namespace kolam::lower
