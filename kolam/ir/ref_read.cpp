// kolam.ref_read: the elements of a ref.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/kernels.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult RefReadOp::verify() {
  auto is_value = [&](mlir::Value value, llvm::StringRef what) {
    if (value.getType() == value_type(getRef()))
      return mlir::success();
    return llvm::LogicalResult(emitOpError()
                               << "expected " << what << " to be " << value_type(getRef())
                               << ", but got " << value.getType());
  };
  if (failed(expect_mask(*this, getMask(), getRef())) ||
      failed(is_value(getResult(), "the result")))
    return mlir::failure();
  return getOther() ? is_value(getOther(), "the other elements") : mlir::success();
}

space::Signature RefReadOp::signature() { return opaque_signature(*this); }

std::vector<space::DataDimTable> RefReadOp::data_dim_rows(const space::DataDimQuestion&) {
  std::vector<space::DataDimPlace> places{result_place(0)};
  for (size_t number = 0; number < getOperation()->getNumOperands(); ++number)
    places.push_back(operand_place(number));
  return {tied(*this, std::move(places), space::DataDimCost::compute)};
}

} // namespace kolam::ir
