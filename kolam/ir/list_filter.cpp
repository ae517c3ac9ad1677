// kolam.list_filter: the elements whose mask is true.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/list_expectations.h"
#include "kolam/ir/ops.h"

namespace kolam::ir {

llvm::LogicalResult ListFilterOp::verify() {
  ListType mask = list_of(tensor_type(getContext(), DType::boolean, {}));
  if (failed(expect_type(*this, getMask(), mask, "the mask")))
    return mlir::failure();
  return expect_type(*this, getResult(), getList().getType(), "the result");
}

/// Each element is read once; data decides where it goes.
space::Signature ListFilterOp::signature() { return opaque_signature(*this); }

std::vector<space::DataDimTable> ListFilterOp::data_dim_rows(const space::DataDimQuestion&) {
  return {tied(*this, {operand_place(0), result_place(0)})};
}

} // namespace kolam::ir
