// kolam.cumulative: a loop that carries the state, for every line along the dim.
#include "kolam/ir/monoid.h"
#include "kolam/lower/ops.h"
#include "kolam/lower/reduction.h"

namespace kolam::lower {
namespace {

/// Walks along one line: `line` is an index whose place along the dim is free.
class LineEmitter {
public:
  LineEmitter(ir::CumulativeOp op, Emission& e)
      : op_(op), e_(e), fn_(*parse_fn(op.getFunction())), dtype_(ir::dtype_of(op.getResult())),
        state_(ir::named_state(fn_, dtype_)), shape_(e.shape(op.getResult())) {}

  void emit(IndexSpan line) {
    Value extent = shape_[op_.getDim()];
    if (op_.getExclusive()) {
      e_.loop(e_.i64(0), extent, emit_identity(fn_, state_, e_), [&](Value step, ValueSpan state) {
        Index index = index_at(line, step);
        Value next = combined(state[0], index);
        store(index, state[0]);
        return Values{next};
      });
      return;
    }
    Value any =
        mlir::arith::CmpIOp::create(e_.b, mlir::arith::CmpIPredicate::sgt, extent, e_.i64(0));
    e_.when(any, [&] {
      Index start = index_at(line, e_.i64(0));
      Value first = element(start);
      store(start, first);
      e_.loop(e_.i64(1), extent, first, [&](Value step, ValueSpan state) {
        Index index = index_at(line, step);
        Value next = combined(state[0], index);
        store(index, next);
        return Values{next};
      });
    });
  }

private:
  Index index_at(IndexSpan line, Value step) {
    Index index(line);
    Value extent = shape_[op_.getDim()];
    index[op_.getDim()] = op_.getReverse() ? e_.sub(e_.sub(extent, e_.i64(1)), step) : step;
    return index;
  }
  Value element(IndexSpan index) {
    return emit_cast(dtype_, state_, e_.cell(op_.getOperand(), index), e_);
  }
  Value combined(Value state, IndexSpan index) {
    return emit_function(fn_, state_, {state, element(index)}, e_);
  }
  void store(IndexSpan index, Value state) {
    e_.store(0, dtype_, e_.ravel(index, shape_), emit_cast(state_, dtype_, state, e_));
  }

  ir::CumulativeOp op_;
  Emission& e_;
  Fn fn_;
  DType dtype_, state_;
  Values shape_;
};

} // namespace

void emit_whole(ir::CumulativeOp op, Emission& e) {
  LineEmitter emitter(op, e);
  // The nest's parallel range is dim 0, or a single step where that is the dim of the walk.
  Values lines = e.shape(op.getResult());
  lines[op.getDim()] = e.i64(1);
  e.loop(e.begin(), e.end(), [&](Value outer) {
    e.loops(ValueSpan(lines).drop_front(), [&](IndexSpan inner) {
      Index line{outer};
      line.append(inner.begin(), inner.end());
      emitter.emit(line);
    });
  });
}

} // namespace kolam::lower
