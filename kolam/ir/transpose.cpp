// kolam.transpose: permutes dimensions.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult TransposeOp::verify() {
  Shape from = shape_of(getOperand()), to;
  if (failed(expect_count(*this, getPermutation().size(), from.size(), "dims")) ||
      failed(expect_dims(*this, getPermutation(), from.size(), DimOrder::any, "the permutation")) ||
      failed(expect_dtype(*this, getResult(), dtype_of(getOperand()), "the result")))
    return mlir::failure();
  for (int64_t dim : getPermutation())
    to.push_back(from[dim]);
  return expect_shape(*this, getResult(), to, "the result");
}

space::Signature TransposeOp::signature() {
  int64_t rank = rank_of(getResult());
  std::vector<space::AffineRow> rows(rank);
  for (auto [number, dim] : llvm::enumerate(getPermutation()))
    rows[dim] = row(rank, {{static_cast<int64_t>(number)}});
  return over_result(*this, {read("operand", getOperand(), cells(rank, std::move(rows)))});
}

} // namespace kolam::ir
