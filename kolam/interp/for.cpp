// kolam.for: state = inits; for i in [lower, upper): state = body(i, state, captures).
#include "kolam/interp/list_values.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::ForOp op, Evaluation& e) {
  DType dtype = ir::dtype_of(op.getLower());
  int64_t lower = integer_of(e.get(op.getLower())), upper = integer_of(e.get(op.getUpper()));
  Data state = e.get_data(op.getInits()), captures = e.get_data(op.getCaptures());
  bind_late(op, state, e);
  for (int64_t i = lower; i < upper; ++i) {
    poll_cancel(e.options());
    Data next = e.run_data(op.getBody(), joined({{scalar_of(i, dtype)}, state, captures}));
    take_turn(op, state, std::move(next));
    bind_late(op, state, e);
  }
  set_all(op.getResults(), state, e);
}

} // namespace kolam::interp
