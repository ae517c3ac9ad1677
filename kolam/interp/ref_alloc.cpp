// kolam.ref_alloc: an array of zeros.
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"
#include "kolam/ir/kernels.h"

namespace kolam::interp {

void evaluate_op(ir::RefAllocOp op, Evaluation& e) {
  mlir::Type type = ir::value_type(op.getResult());
  e.set_datum(op.getResult(), Ref::zeros(ir::dtype_of(type), e.sizes(type)));
}

} // namespace kolam::interp
