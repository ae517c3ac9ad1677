// kolam.ref_bitcast: the same bits as elements of another dtype.
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"
#include "kolam/ir/kernels.h"

namespace kolam::interp {

void evaluate_op(ir::RefBitcastOp op, Evaluation& e) {
  Ref view = e.get_ref(op.getRef());
  view.dtype = ir::dtype_of(ir::value_type(op.getResult()));
  e.set_datum(op.getResult(), std::move(view));
}

} // namespace kolam::interp
