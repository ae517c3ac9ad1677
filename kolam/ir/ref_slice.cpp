// kolam.ref_slice: the elements of a box, with steps.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/kernels.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult RefSliceOp::verify() {
  auto rank = value_type(getRef()).getRank();
  if (failed(expect_count(*this, getStarts().size(), rank, "starts")) ||
      failed(expect_count(*this, getSteps().size(), rank, "steps")) ||
      failed(expect_integers(*this, getStarts(), "starts")) ||
      failed(expect_count(*this, value_type(getResult()).getRank(), rank, "dims of the result")))
    return mlir::failure();
  return expect_view(*this, getResult(), getRef(), shape_of(value_type(getResult())));
}

space::Signature RefSliceOp::signature() { return opaque_signature(*this); }

/// As of a slice: along D elements move, elsewhere this is free.
std::vector<space::DataDimTable> RefSliceOp::data_dim_rows(const space::DataDimQuestion&) {
  Shape from = data_shape(getRef()), to = data_shape(getResult());
  std::vector<DimChoice> choices;
  for (size_t dim = 0; dim < from.size(); ++dim)
    choices.push_back(
        {{static_cast<int>(dim), static_cast<int>(dim)},
         from[dim] == to[dim] ? space::DataDimCost::free : space::DataDimCost::compute});
  return {table_of({operand_place(0), result_place(0)}, choices)};
}

} // namespace kolam::ir
