// kolam.cumulative: a loop that carries the state, for every line along the dim.
#include "kolam/lower/ops.h"
#include "kolam/lower/reduction.h"

namespace kolam::lower {

void emit_whole(ir::CumulativeOp op, Emission& e) {
  Fn fn = *parse_fn(op.getFunction());
  DType dtype = ir::dtype_of(op.getResult());
  auto dim = static_cast<size_t>(op.getDim());
  Values shape = e.shape(op.getResult());
  Value extent = shape[dim];

  auto emit_line = [&](ValueSpan line) {
    auto index_at = [&](Value step) {
      Values index(line.begin(), line.end());
      index[dim] = op.getReverse() ? e.sub(e.sub(extent, e.i64(1)), step) : step;
      return index;
    };
    auto store = [&](ValueSpan index, Value state) {
      e.store(0, dtype, e.ravel(index, shape), state);
    };
    if (op.getExclusive()) {
      e.loop(e.i64(0), extent, emit_identity(fn, dtype, e), [&](Value step, ValueSpan state) {
        Values index = index_at(step);
        store(index, state[0]);
        return Values{emit_function(fn, dtype, {state[0], e.cell(op.getOperand(), index)}, e)};
      });
      return;
    }
    Value any =
        mlir::arith::CmpIOp::create(e.b, mlir::arith::CmpIPredicate::sgt, extent, e.i64(0));
    e.when(any, [&] {
      Values start = index_at(e.i64(0));
      Value first = e.cell(op.getOperand(), start);
      store(start, first);
      e.loop(e.i64(1), extent, first, [&](Value step, ValueSpan state) {
        Values index = index_at(step);
        Value next = emit_function(fn, dtype, {state[0], e.cell(op.getOperand(), index)}, e);
        store(index, next);
        return Values{next};
      });
    });
  };

  // The nest's parallel range is dim 0, or a single step where that is the dim of the walk.
  Values lines(shape);
  lines[dim] = e.i64(1);
  e.loop(e.begin(), e.end(), [&](Value outer) {
    e.loops(ValueSpan(lines).drop_front(), [&](ValueSpan inner) {
      Values line{outer};
      line.append(inner.begin(), inner.end());
      emit_line(line);
    });
  });
}

} // namespace kolam::lower
