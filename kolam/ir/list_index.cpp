// kolam.list_index: one element of a list.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/list_expectations.h"
#include "kolam/ir/ops.h"

namespace kolam::ir {

llvm::LogicalResult ListIndexOp::verify() {
  if (failed(expect_index(*this, getIndex(), "the index")))
    return mlir::failure();
  if ((*this)->hasAttr("or_zeros") && llvm::isa<ListType>(element_of(getList())))
    return emitOpError("expected a list of tensors for 'or_zeros', but got ")
           << getList().getType();
  return expect_type(*this, getResult(), element_of(getList()), "the result");
}

/// Data decides which element is read.
space::Signature ListIndexOp::signature() { return opaque_signature(*this); }

std::vector<space::DataDimTable> ListIndexOp::data_dim_rows(const space::DataDimQuestion&) {
  return {tied(*this, {operand_place(0), result_place(0)})};
}

} // namespace kolam::ir
