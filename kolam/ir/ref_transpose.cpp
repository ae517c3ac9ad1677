// kolam.ref_transpose: the dims of a ref in another order.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/kernels.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult RefTransposeOp::verify() {
  Shape from = shape_of(value_type(getRef())), shape;
  if (failed(expect_count(*this, getPermutation().size(), static_cast<int64_t>(from.size()),
                          "dims in the permutation")) ||
      failed(expect_dims(*this, getPermutation(), static_cast<int64_t>(from.size()), DimOrder::any,
                         "permutation")))
    return mlir::failure();
  for (int64_t dim : getPermutation())
    shape.push_back(from[dim]);
  return expect_view(*this, getResult(), getRef(), shape);
}

space::Signature RefTransposeOp::signature() { return opaque_signature(*this); }

std::vector<space::DataDimTable> RefTransposeOp::data_dim_rows(const space::DataDimQuestion&) {
  std::vector<DimChoice> choices;
  for (auto [number, dim] : llvm::enumerate(getPermutation()))
    choices.push_back({{static_cast<int>(dim), static_cast<int>(number)}});
  return {table_of({operand_place(0), result_place(0)}, choices)};
}

} // namespace kolam::ir
