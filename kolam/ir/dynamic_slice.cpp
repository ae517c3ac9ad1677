// kolam.dynamic_slice: a box of the operand at a start known at run time.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/ir/starts.h"

namespace kolam::ir {

llvm::LogicalResult DynamicSliceOp::verify() {
  if (failed(expect_dtype(*this, getResult(), dtype_of(getOperand()), "the result")))
    return mlir::failure();
  return expect_starts(*this, getStarts(), getOperand(), getResult(), "the result");
}

std::vector<SizePromise> DynamicSliceOp::size_promises() {
  return box_promises(getOperand(), getResult());
}

space::Signature DynamicSliceOp::signature() {
  std::vector<bool> full = full_dims(getOperand(), getResult());
  space::Projection projection = direct_where(full, getOperand());
  std::vector<space::Operand> reads{llvm::is_contained(full, false)
                                        ? read_anywhere("operand", getOperand(), projection)
                                        : read("operand", getOperand(), projection)};
  add_start_reads(getStarts(), rank_of(getResult()), reads);
  return over_result(*this, std::move(reads));
}

} // namespace kolam::ir
