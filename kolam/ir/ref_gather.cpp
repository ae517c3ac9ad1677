// kolam.ref_gather: the elements at places given by data.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/kernels.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult RefGatherOp::verify() {
  Shape from = shape_of(value_type(getRef())), indices = shape_of(getIndices());
  if (failed(
          expect_dims(*this, getDims(), static_cast<int64_t>(from.size()), DimOrder::increasing)) ||
      failed(expect_dtype(*this, getIndices(), is_integer, "an integer dtype", "the indices")) ||
      failed(
          expect_at_least(*this, static_cast<int64_t>(indices.size()), 1, "dims of the indices")))
    return mlir::failure();
  if (!(indices.back() == Extent(static_cast<int64_t>(getDims().size()))))
    return emitOpError() << "expected indices for " << getDims().size()
                         << " dims, but got indices of shape " << to_string(indices);
  Shape shape(indices.begin(), indices.end() - 1);
  for (size_t dim = 0; dim < from.size(); ++dim)
    if (!llvm::is_contained(getDims(), static_cast<int64_t>(dim)))
      shape.push_back(from[dim]);
  return expect_view(*this, getResult(), getRef(), shape);
}

space::Signature RefGatherOp::signature() { return opaque_signature(*this); }

/// D is one of the other dims; where all are given by data it is one of the places'.
std::vector<space::DataDimTable> RefGatherOp::data_dim_rows(const space::DataDimQuestion&) {
  int places = static_cast<int>(rank_of(getIndices())) - 1, next = places;
  std::vector<DimChoice> choices;
  for (int dim = 0; dim < static_cast<int>(data_shape(getRef()).size()); ++dim)
    if (!llvm::is_contained(getDims(), dim))
      choices.push_back({{dim, space::kAnyDim, next++}, space::DataDimCost::compute});
  if (choices.empty())
    for (int dim = 0; dim < places; ++dim)
      choices.push_back({{space::kAnyDim, dim, dim}, space::DataDimCost::slower});
  return {table_of({operand_place(0), operand_place(1), result_place(0)}, choices)};
}

} // namespace kolam::ir
