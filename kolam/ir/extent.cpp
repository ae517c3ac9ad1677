// kolam.extent: the value of an extent expression.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult ExtentOp::verify() {
  if (!Extent::parse(getExpression()))
    return emitOpError("expected an extent expression, but got '") << getExpression() << "'";
  return expect_dtype(*this, getResult(), DType::i64, "the result");
}

space::Signature ExtentOp::signature() { return over_result(*this, {}); }

} // namespace kolam::ir
