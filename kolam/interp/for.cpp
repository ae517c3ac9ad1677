// kolam.for: state = inits; for i in [lower, upper): state = body(i, state, captures).
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::ForOp op, Evaluation& e) {
  DType dtype = ir::dtype_of(op.getLower());
  int64_t lower = integer_of(e.get(op.getLower())), upper = integer_of(e.get(op.getUpper()));
  std::vector<Array> state = arrays_of(op.getInits(), e), captures = arrays_of(op.getCaptures(), e);
  auto bind = [&] {
    for (size_t number = 0; number < state.size(); ++number)
      if (auto symbol = op.late_symbol(number))
        e.bind(*symbol, state[number].shape()[0]);
  };
  bind();
  for (int64_t i = lower; i < upper; ++i) {
    poll_cancel(e.options());
    state = e.run(op.getBody(), joined({{scalar_of(i, dtype)}, state, captures}));
    bind();
  }
  set_all(op.getResults(), state, e);
}

} // namespace kolam::interp
