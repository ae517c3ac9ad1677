// Elements of kolam.while, whose states are carried in registers. The lanes of a vector leave it
// together, once none goes on.
#include "kolam/ir/going.h"
#include "kolam/lower/carried.h"
#include "kolam/lower/ops.h"
#include "kolam/lower/scalar_builder.h"

namespace kolam::lower {

Values emit_cells(ir::WhileOp op, IndexSpan index, Emission& e) {
  ScalarBuilder s(e.b);
  Bodies bodies(op, index, e);
  Values state = bodies.first(op.getInits());
  std::vector<Elements> captures = bodies.captured(op.getInits().size(), op.getCaptures());
  ir::Going going = *ir::going(op);
  auto holds = [&](ValueSpan carried) {
    bodies.enter(op.getCondition().front(), joined(all_always(carried), captures));
    Value all = e.constant(DType::boolean, 1);
    for (Value scalar : bodies.cells(going.scalars))
      all = s.and_(all, bodies.lanes_differ() ? scalar : e.any(scalar)); // one for all lanes
    if (going.elements) {
      Value on = bodies.next(going.elements)[0];
      all = s.and_(all, e.any(going.is_negated ? s.not_(on) : on));
    }
    e.leave();
    return all;
  };
  auto body = [&](ValueSpan carried) {
    bodies.enter(op.getBody().front(), joined(all_always(carried), captures));
    Values next = bodies.next(op.getBody().front().getTerminator()->getOperands());
    e.leave();
    return next;
  };
  auto is_read = [&](size_t number) { return !op.getResult(number).use_empty(); };
  return bodies.lanes_differ() ? e.repeat_lanes(state, holds, body, is_read)
                               : e.repeat(state, holds, body);
}

} // namespace kolam::lower
