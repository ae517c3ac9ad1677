// kolam.expand_dims: inserts dimensions of extent 1.
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

} // namespace kolam::ir
