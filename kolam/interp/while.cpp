// kolam.while: state = inits; while condition(state, captures): state = body(state, captures).
#include "kolam/interp/list_values.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::WhileOp op, Evaluation& e) {
  Data state = e.get_data(op.getInits()), captures = e.get_data(op.getCaptures());
  bind_late(op, state, e);
  auto holds = [&] {
    return std::get<Array>(e.run_data(op.getCondition(), joined({state, captures}))[0]);
  };
  while (holds().item<bool>()) {
    poll_cancel(e.options());
    take_turn(op, state, e.run_data(op.getBody(), joined({state, captures})));
    bind_late(op, state, e);
  }
  set_all(op.getResults(), state, e);
}

} // namespace kolam::interp
