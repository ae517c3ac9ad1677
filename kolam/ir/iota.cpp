// kolam.iota: the coordinate along one dimension.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult IotaOp::verify() {
  if (failed(expect_dims(*this, {static_cast<int64_t>(getDim())}, rank_of(getResult()),
                         DimOrder::any, "dim")))
    return mlir::failure();
  auto is_number = [](DType dtype) { return dtype != DType::boolean; };
  return expect_dtype(*this, getResult(), is_number, "a dtype of numbers", "the result");
}

space::Signature IotaOp::signature() { return over_result(*this, {}); }

} // namespace kolam::ir
