// kolam.cast: value conversion, element by element.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult CastOp::verify() {
  return expect_shape(*this, getResult(), shape_of(getOperand()), "the result");
}

space::Signature CastOp::signature() { return cell_by_cell(*this); }

double CastOp::flops_per_point() { return 1; }

} // namespace kolam::ir
