// kolam.ref_write: sets the elements of a ref.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/kernels.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult RefWriteOp::verify() {
  if (getValue().getType() != value_type(getRef()))
    return emitOpError() << "expected the value to be " << value_type(getRef()) << ", but got "
                         << getValue().getType();
  return expect_mask(*this, getMask(), getRef());
}

space::Signature RefWriteOp::signature() { return opaque_signature(*this); }

std::vector<space::DataDimTable> RefWriteOp::data_dim_rows(const space::DataDimQuestion&) {
  std::vector<space::DataDimPlace> places;
  for (size_t number = 0; number < getOperation()->getNumOperands(); ++number)
    places.push_back(operand_place(number));
  return {tied(*this, std::move(places), space::DataDimCost::compute)};
}

} // namespace kolam::ir
