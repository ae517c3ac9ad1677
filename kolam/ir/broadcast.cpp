// kolam.broadcast: repeats along new or unit dimensions.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult BroadcastOp::verify() {
  Shape from = shape_of(getOperand()), to = shape_of(getResult());
  if (failed(expect_dtype(*this, getResult(), dtype_of(getOperand()), "the result")) ||
      failed(expect_count(*this, getDims().size(), from.size(), "dims")) ||
      failed(expect_dims(*this, getDims(), to.size(), DimOrder::increasing)))
    return mlir::failure();
  for (auto [extent, dim] : llvm::zip(from, getDims()))
    if (!(extent == Extent(1)) && !(extent == to[dim]))
      return emitOpError("expected extent 1 or ")
             << to[dim].to_string() << " for dim " << dim << " of the result, but got "
             << extent.to_string();
  return mlir::success();
}

space::Signature BroadcastOp::signature() {
  int64_t rank = rank_of(getResult());
  Shape to = shape_of(getResult());
  std::vector<space::AffineRow> rows;
  for (auto [extent, dim] : llvm::zip(shape_of(getOperand()), getDims()))
    rows.push_back(extent == to[dim] ? row(rank, {{dim}}) : row(rank, {}));
  return over_result(*this, {read("operand", getOperand(), cells(rank, std::move(rows)))});
}

/// New dims are never D, but of a scalar, which may have been expanded in any order. (R3, R4)
std::vector<space::DataDimTable> BroadcastOp::data_dim_rows(const space::DataDimQuestion&) {
  Shape from = shape_of(getOperand()), to = shape_of(getResult());
  std::vector<DimChoice> choices;
  for (auto [number, dim] : llvm::enumerate(getDims()))
    choices.push_back(
        {{static_cast<int>(number), static_cast<int>(dim)},
         from[number] == to[dim] ? space::DataDimCost::free : space::DataDimCost::close_to_free});
  if (from.empty())
    for (size_t dim = 0; dim < to.size(); ++dim)
      choices.push_back(
          {{space::kAnyDim, static_cast<int>(dim)}, space::DataDimCost::close_to_free});
  return {table_of({operand_place(0), result_place(0)}, choices)};
}

} // namespace kolam::ir
