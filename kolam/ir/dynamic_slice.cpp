// kolam.dynamic_slice: a box of the operand at a start known at run time.
#include "kolam/ir/data_dim_rows.h"
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

/// As of a slice: along D elements move. (R2)
std::vector<space::DataDimTable> DynamicSliceOp::data_dim_rows(const space::DataDimQuestion&) {
  Shape whole = shape_of(getOperand()), box = shape_of(getResult());
  std::vector<DimChoice> choices;
  for (size_t dim = 0; dim < whole.size(); ++dim)
    choices.push_back(
        {std::vector<int>(2, static_cast<int>(dim)),
         whole[dim] == box[dim] ? space::DataDimCost::free : space::DataDimCost::compute});
  return {table_of({operand_place(0), result_place(0)}, choices)};
}

} // namespace kolam::ir
