// kolam.compress: the elements where a mask is true, one behind the other.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult CompressOp::verify() {
  if (failed(expect_rank(*this, getMask(), 1, "the mask")) ||
      failed(expect_dtype(*this, getMask(), DType::boolean, "the mask")) ||
      failed(expect_shape(*this, getOperand(), shape_of(getMask()), "the operand")) ||
      failed(expect_rank(*this, getResult(), 1, "the result")))
    return mlir::failure();
  return expect_dtype(*this, getResult(), dtype_of(getOperand()), "the result");
}

/// Each point reads its own element, and writes where those before it say.
space::Signature CompressOp::signature() {
  space::Signature signature{name_of(*this), map_dims(shape_of(getMask())), {}};
  space::IndexDim& dim = signature.dims[0];
  dim = space::scan_dim(dim.name, dim.extent);
  signature.operands.push_back(read("mask", getMask(), space::identity(1)));
  signature.operands.push_back(read("operand", getOperand(), space::identity(1)));
  space::Operand result = write("result", getResult(), whole(1, getResult()));
  result.indirect = true;
  signature.operands.push_back(std::move(result));
  return signature;
}

} // namespace kolam::ir
