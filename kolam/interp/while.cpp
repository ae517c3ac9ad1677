// kolam.while: state = inits; while condition(state, captures): state = body(state, captures).
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::WhileOp op, Evaluation& e) {
  std::vector<Array> state = arrays_of(op.getInits(), e), captures = arrays_of(op.getCaptures(), e);
  while (e.run(op.getCondition(), joined({state, captures}))[0].item<bool>()) {
    poll_cancel(e.options());
    state = e.run(op.getBody(), joined({state, captures}));
  }
  set_all(op.getResults(), state, e);
}

} // namespace kolam::interp
