// kolam.empty: nobody reads what nobody wrote; here that is zeros.
#include "kolam/interp/ops.h"

#include <cstring>

namespace kolam::interp {

void evaluate_op(ir::EmptyOp op, Evaluation& e) {
  Array result = Array::uninitialized(ir::dtype_of(op.getResult()), e.sizes(op.getType()));
  if (result.byte_count() > 0)
    std::memset(result.mutable_data(), 0, result.byte_count());
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
