// kolam.cond: results = branches[clip(selector)](captures).
#include "kolam/interp/list_values.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

#include <algorithm>

namespace kolam::interp {

void evaluate_op(ir::CondOp op, Evaluation& e) {
  int64_t last = static_cast<int64_t>(op.getBranches().size()) - 1;
  int64_t branch = std::clamp<int64_t>(integer_of(e.get(op.getSelector())), 0, last);
  Data results = e.run_data(op.getBranches()[branch], e.get_data(op.getCaptures()));
  bind_late(op, results, e);
  set_all(op.getResults(), results, e);
}

} // namespace kolam::interp
