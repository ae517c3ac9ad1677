// kolam.ref_alloc: an array of zeros.
#include "kolam/interp/kernel_checker.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"
#include "kolam/ir/kernels.h"

namespace kolam::interp {

void evaluate_op(ir::RefAllocOp op, Evaluation& e) {
  mlir::Type type = ir::value_type(op.getResult());
  KernelChecker* checker = e.options().checker;
  e.set_datum(op.getResult(), checker ? checker->scratch(ir::dtype_of(type), e.sizes(type),
                                                         "an array of run_scoped")
                                      : Ref::zeros(ir::dtype_of(type), e.sizes(type)));
}

} // namespace kolam::interp
