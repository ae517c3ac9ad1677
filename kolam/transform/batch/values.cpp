// Ops element by element: the instances are one more dim of elements.
#include "kolam/transform/batch/rules.h"

namespace kolam::transform::batch {

Results batch_rule(ir::ElementwiseOp op, Operands operands, Instances& all) {
  return each(copy(all, op, as_each(all, operands))->getResults());
}

Results batch_rule(ir::CastOp op, Operands operands, Instances& all) {
  return each(copy(all, op, as_each(all, operands))->getResults());
}

Results batch_rule(ir::BitcastOp op, Operands operands, Instances& all) {
  return each(copy(all, op, as_each(all, operands))->getResults());
}

/// The key's dims count keys, so the numbers of an instance's elements stay.
Results batch_rule(ir::RandomBitsOp op, Operands operands, Instances& all) {
  return each(copy(all, op, as_each(all, operands))->getResults());
}

Results batch_rule(ir::RandomBlockOp op, Operands operands, Instances& all) {
  return each(copy(all, op, as_each(all, operands))->getResults());
}

} // namespace kolam::transform::batch
