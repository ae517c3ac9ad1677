// kolam.expand_dims: inserts dimensions of extent 1.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult ExpandDimsOp::verify() {
  Shape shape = shape_of(getOperand());
  int64_t rank = static_cast<int64_t>(shape.size() + getDims().size());
  if (failed(expect_dims(*this, getDims(), rank, DimOrder::increasing)) ||
      failed(expect_dtype(*this, getResult(), dtype_of(getOperand()), "the result")))
    return mlir::failure();
  for (int64_t dim : getDims())
    shape.insert(shape.begin() + dim, Extent(1));
  return expect_shape(*this, getResult(), shape, "the result");
}

space::Signature ExpandDimsOp::signature() {
  int64_t rank = rank_of(getResult());
  std::vector<space::AffineRow> rows;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(getDims(), dim))
      rows.push_back(row(rank, {{dim}}));
  return over_result(*this, {read("operand", getOperand(), cells(rank, std::move(rows)))});
}

/// The new dims are never D, but of a scalar. (R3)
std::vector<space::DataDimTable> ExpandDimsOp::data_dim_rows(const space::DataDimQuestion&) {
  std::vector<DimChoice> choices;
  int next = 0;
  for (int dim = 0; dim < rank_of(getResult()); ++dim)
    if (!llvm::is_contained(getDims(), dim))
      choices.push_back({{next++, dim}});
    else if (rank_of(getOperand()) == 0)
      choices.push_back({{space::kAnyDim, dim}});
  return {table_of({operand_place(0), result_place(0)}, choices)};
}

} // namespace kolam::ir
