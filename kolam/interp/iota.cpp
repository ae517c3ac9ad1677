// kolam.iota: result[i] = cast(i[dim]).
#include "kolam/interp/convert.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::IotaOp op, Evaluation& e) {
  Array coordinates = Array::uninitialized(DType::i64, e.sizes(op.getResult().getType()));
  int64_t* out = coordinates.mutable_values<int64_t>().data();
  for_each_index(e, coordinates.shape(), [&](const Index& index) { *out++ = index[op.getDim()]; });
  e.set(op.getResult(), convert(coordinates, ir::dtype_of(op.getResult())));
}

} // namespace kolam::interp
