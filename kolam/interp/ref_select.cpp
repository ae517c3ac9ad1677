// kolam.ref_select: refs[clip(selector)].
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

#include <algorithm>

namespace kolam::interp {

void evaluate_op(ir::RefSelectOp op, Evaluation& e) {
  int64_t last = static_cast<int64_t>(op.getRefs().size()) - 1;
  int64_t chosen = std::clamp<int64_t>(integer_of(e.get(op.getSelector())), 0, last);
  e.set_datum(op.getResult(), e.get_ref(op.getRefs()[static_cast<size_t>(chosen)]));
}

} // namespace kolam::interp
