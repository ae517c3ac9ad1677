// kolam.ref_reshape: the same elements in row-major order under another shape.
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"
#include "kolam/ir/kernels.h"

namespace kolam::interp {

void evaluate_op(ir::RefReshapeOp op, Evaluation& e) {
  Ref view = e.get_ref(op.getRef());
  view.shape = e.sizes(ir::value_type(op.getResult()));
  e.set_datum(op.getResult(), std::move(view));
}

} // namespace kolam::interp
