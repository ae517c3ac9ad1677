// kolam.list_positions: the numbers of a list's elements.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/list_expectations.h"
#include "kolam/ir/ops.h"

namespace kolam::ir {

llvm::LogicalResult ListPositionsOp::verify() {
  return expect_type(*this, getResult(), list_of(tensor_type(getContext(), DType::i64, {})),
                     "the result");
}

space::Signature ListPositionsOp::signature() { return opaque_signature(*this); }

std::vector<space::DataDimTable> ListPositionsOp::data_dim_rows(const space::DataDimQuestion&) {
  return {};
}

} // namespace kolam::ir
