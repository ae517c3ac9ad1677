// kolam.cumulative: running combination along a dimension.
#include "kolam/ir/expectations.h"
#include "kolam/ir/monoid.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult CumulativeOp::verify() {
  std::optional<Fn> fn = parse_monoid(getFunction());
  if (!fn)
    return emitOpError("expected a function of two arguments with an identity, but got '")
           << getFunction() << "'";
  DType dtype = dtype_of(getOperand());
  if (!accepts(*fn, dtype))
    return emitOpError("expected a dtype that '")
           << getFunction() << "' takes, but got " << llvm::StringRef(name(dtype));
  if (failed(expect_dims(*this, {static_cast<int64_t>(getDim())}, rank_of(getOperand()),
                         DimOrder::any, "dim")))
    return mlir::failure();
  return expect_type_of(*this, getResult(), getOperand(), "the result");
}

/// Each point reads its own element and what the point before it carries on.
space::Signature CumulativeOp::signature() {
  space::Signature signature = cell_by_cell(*this);
  space::IndexDim& dim = signature.dims[getDim()];
  dim = space::scan_dim(dim.name, dim.extent,
                        getReverse() ? space::Direction::backward : space::Direction::forward);
  return signature;
}

double CumulativeOp::flops_per_point() { return 1; }

} // namespace kolam::ir
