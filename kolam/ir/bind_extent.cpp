// kolam.bind_extent: gives a symbol the value of a scalar.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult BindExtentOp::verify() {
  auto extent = Extent::parse(getSymbol());
  if (!extent || extent->as_symbol() != getSymbol())
    return emitOpError("expected the name of a symbol, but got '") << getSymbol() << "'";
  return expect_dtype(*this, getSize(), DType::i64, "the size");
}

space::Signature BindExtentOp::signature() { return opaque_signature(*this); }

} // namespace kolam::ir
