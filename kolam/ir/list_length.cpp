// kolam.list_length: the number of elements of the outermost level.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/list_expectations.h"
#include "kolam/ir/ops.h"

namespace kolam::ir {

llvm::LogicalResult ListLengthOp::verify() {
  return expect_index(*this, getResult(), "the result");
}

space::Signature ListLengthOp::signature() { return opaque_signature(*this); }

std::vector<space::DataDimTable> ListLengthOp::data_dim_rows(const space::DataDimQuestion&) {
  return {};
}

} // namespace kolam::ir
