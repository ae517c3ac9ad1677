// kolam.bitcast: the same bits as another dtype of the same width.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult BitcastOp::verify() {
  DType from = dtype_of(getOperand()), to = dtype_of(getResult());
  bool one_boolean = (from == DType::boolean) != (to == DType::boolean);
  if (byte_width(from) != byte_width(to) || one_boolean)
    return emitOpError("expected dtypes of one width, but got ")
           << llvm::StringRef(name(from)) << " and " << llvm::StringRef(name(to));
  return expect_shape(*this, getResult(), shape_of(getOperand()), "the result");
}

space::Signature BitcastOp::signature() { return cell_by_cell(*this); }

} // namespace kolam::ir
