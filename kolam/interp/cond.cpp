// kolam.cond: results = branches[clip(selector)](captures).
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

#include <algorithm>

namespace kolam::interp {

void evaluate_op(ir::CondOp op, Evaluation& e) {
  int64_t last = static_cast<int64_t>(op.getBranches().size()) - 1;
  int64_t branch = std::clamp<int64_t>(integer_of(e.get(op.getSelector())), 0, last);
  set_all(op.getResults(), e.run(op.getBranches()[branch], arrays_of(op.getCaptures(), e)), e);
}

} // namespace kolam::interp
