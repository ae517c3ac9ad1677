// kolam.pad: result[i] = operand[i - low] where inside, else what the mode says.
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {
namespace {

int64_t modulo(int64_t x, int64_t period) { return (x % period + period) % period; }

/// Where in [0, extent) the mode finds the element at `i`, which may lie outside; -1 where it finds
/// none.
int64_t source_of(int64_t i, int64_t extent, llvm::StringRef mode) {
  if (i >= 0 && i < extent)
    return i;
  if (mode == "constant" || extent == 0)
    return -1;
  if (mode == "edge")
    return i < 0 ? 0 : extent - 1;
  if (mode == "wrap")
    return modulo(i, extent);
  if (extent == 1)
    return 0;
  int64_t place = modulo(i, 2 * extent - 2);
  return place < extent ? place : 2 * extent - 2 - place;
}

} // namespace

void evaluate_op(ir::PadOp op, Evaluation& e) {
  const Array& operand = e.get(op.getOperand());
  const Array& value = e.get(op.getValue());
  Array result = e.make(op.getResult());
  Index source(operand.rank());
  for_each_index(e, result.shape(), [&](const Index& index) {
    bool found = true;
    for (size_t d = 0; d < source.size(); ++d) {
      source[d] = source_of(index[d] - op.getLow()[d], operand.shape()[d], op.getMode());
      found &= source[d] >= 0;
    }
    if (found)
      copy_cell(operand, source, result, index);
    else
      copy_cell(value, {}, result, index);
  });
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
