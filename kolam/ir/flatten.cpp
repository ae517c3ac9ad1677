// kolam.flatten: the two outer levels of a list become one.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/list_expectations.h"
#include "kolam/ir/ops.h"

namespace kolam::ir {

llvm::LogicalResult FlattenOp::verify() {
  if (!llvm::isa<ListType>(element_of(getList())))
    return emitOpError("expected a list of depth 2 or more, but got ") << getList().getType();
  return expect_type(*this, getResult(), element_of(getList()), "the result");
}

space::Signature FlattenOp::signature() { return opaque_signature(*this); }

std::vector<space::DataDimTable> FlattenOp::data_dim_rows(const space::DataDimQuestion&) {
  return {tied(*this, {operand_place(0), result_place(0)})};
}

} // namespace kolam::ir
