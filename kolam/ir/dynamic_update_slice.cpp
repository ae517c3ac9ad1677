// kolam.dynamic_update_slice: the operand with a box replaced, at a start known at run time.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/ir/starts.h"

namespace kolam::ir {

llvm::LogicalResult DynamicUpdateSliceOp::verify() {
  if (failed(expect_type_of(*this, getResult(), getOperand(), "the result")) ||
      failed(expect_dtype(*this, getUpdate(), dtype_of(getOperand()), "the update")))
    return mlir::failure();
  return expect_starts(*this, getStarts(), getOperand(), getUpdate(), "the update");
}

std::vector<SizePromise> DynamicUpdateSliceOp::size_promises() {
  return box_promises(getOperand(), getUpdate());
}

/// A point reads its own element of the operand, or else some element of the update.
space::Signature DynamicUpdateSliceOp::signature() {
  int64_t rank = rank_of(getResult());
  std::vector<bool> full = full_dims(getOperand(), getUpdate());
  space::Projection update = direct_where(full, getUpdate());
  std::vector<space::Operand> reads{
      read("operand", getOperand(), space::identity(static_cast<int>(rank))),
      llvm::is_contained(full, false) ? read_anywhere("update", getUpdate(), update)
                                      : read("update", getUpdate(), update)};
  add_start_reads(getStarts(), rank, reads);
  return over_result(*this, std::move(reads));
}

/// As of a slice: along D elements move. (R2)
std::vector<space::DataDimTable>
DynamicUpdateSliceOp::data_dim_rows(const space::DataDimQuestion&) {
  Shape whole = shape_of(getOperand()), box = shape_of(getUpdate());
  std::vector<DimChoice> choices;
  for (size_t dim = 0; dim < whole.size(); ++dim)
    choices.push_back(
        {std::vector<int>(3, static_cast<int>(dim)),
         whole[dim] == box[dim] ? space::DataDimCost::free : space::DataDimCost::compute});
  return {table_of({operand_place(0), operand_place(1), result_place(0)}, choices)};
}

} // namespace kolam::ir
