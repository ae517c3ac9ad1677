// kolam.squeeze: removes dimensions of extent 1.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult SqueezeOp::verify() {
  Shape shape = shape_of(getOperand());
  if (failed(expect_dims(*this, getDims(), shape.size(), DimOrder::increasing)) ||
      failed(expect_dtype(*this, getResult(), dtype_of(getOperand()), "the result")))
    return mlir::failure();
  for (int64_t dim : llvm::reverse(getDims())) {
    if (!(shape[dim] == Extent(1)))
      return emitOpError("expected extent 1 in dim ")
             << dim << ", but got " << shape[dim].to_string();
    shape.erase(shape.begin() + dim);
  }
  return expect_shape(*this, getResult(), shape, "the result");
}

space::Signature SqueezeOp::signature() {
  int64_t rank = rank_of(getResult()), next = 0;
  std::vector<space::AffineRow> rows;
  for (int64_t dim = 0; dim < rank_of(getOperand()); ++dim)
    rows.push_back(llvm::is_contained(getDims(), dim) ? row(rank, {}) : row(rank, {{next++}}));
  return over_result(*this, {read("operand", getOperand(), cells(rank, std::move(rows)))});
}

/// Of a dim that is D this is the reshape, which moves elements. (R7, R10)
std::vector<space::DataDimTable> SqueezeOp::data_dim_rows(const space::DataDimQuestion&) {
  Shape from = shape_of(getOperand()), to = shape_of(getResult());
  std::vector<DimChoice> choices;
  int next = 0;
  for (int dim = 0; dim < static_cast<int>(from.size()); ++dim) {
    if (!llvm::is_contained(getDims(), dim))
      choices.push_back({{dim, next++}});
    else if (to.empty())
      choices.push_back({{dim, space::kAnyDim}, space::DataDimCost::compute});
    else if (auto kept = space::reshaped_dim(from, to, dim))
      choices.push_back(
          {{dim, *kept},
           to[*kept] == Extent(1) ? space::DataDimCost::free : space::DataDimCost::compute});
  }
  return {table_of({operand_place(0), result_place(0)}, choices)};
}

} // namespace kolam::ir
