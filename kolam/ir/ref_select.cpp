// kolam.ref_select: one of several refs.
#include "kolam/ir/expectations.h"
#include "kolam/ir/kernels.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult RefSelectOp::verify() {
  if (failed(expect_integers(*this, getSelector(), "the selector")) ||
      failed(expect_at_least(*this, getRefs().size(), 1, "refs")))
    return mlir::failure();
  for (mlir::Value ref : getRefs())
    if (failed(expect_view(*this, getResult(), ref, shape_of(value_type(ref)))))
      return mlir::failure();
  return mlir::success();
}

space::Signature RefSelectOp::signature() { return opaque_signature(*this); }

} // namespace kolam::ir
