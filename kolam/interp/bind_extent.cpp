// kolam.bind_extent: symbol = max(size, 0).
#include "kolam/interp/ops.h"

#include <algorithm>

namespace kolam::interp {

void evaluate_op(ir::BindExtentOp op, Evaluation& e) {
  e.bind(op.getSymbol().str(), std::max<int64_t>(0, e.get(op.getSize()).item<int64_t>()));
}

} // namespace kolam::interp
