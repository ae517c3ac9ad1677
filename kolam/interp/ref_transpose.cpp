// kolam.ref_transpose: dim d of the result is dim permutation[d] of the ref.
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::RefTransposeOp op, Evaluation& e) {
  e.set_datum(op.getResult(), e.get_ref(op.getRef()).transposed(op.getPermutation().vec()));
}

} // namespace kolam::interp
