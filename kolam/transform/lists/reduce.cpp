// kolam.list_reduce: chunks left to right, then pairs of chunks.
#include "kolam/transform/lists/convert.h"

namespace kolam::transform::lists {

void Conversion::convert_op(ir::ListReduceOp op, const Frame*, Environment&) {
  throw Refusal{"a reduction of lists"};
}

} // namespace kolam::transform::lists
