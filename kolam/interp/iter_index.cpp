// kolam.iter_index: the coordinate of the point at which the body of a zip_map_reduce runs.
#include "kolam/interp/convert.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::IterIndexOp op, Evaluation& e) {
  e.set(op.getResult(),
        convert(Array::scalar(e.point.at(op.getDim())), ir::dtype_of(op.getResult())));
}

} // namespace kolam::interp
