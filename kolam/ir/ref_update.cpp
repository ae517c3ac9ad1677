// kolam.ref_update: updates the elements of a ref one by one.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/kernels.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult RefUpdateOp::verify() {
  mlir::Type type = value_type(getRef());
  DType dtype = dtype_of(type);
  if (failed(expect_one_of(
          *this, getKind(),
          {"add", "max", "min", "and", "or", "xor", "exchange", "compare_exchange"}, "kind")) ||
      failed(expect_mask(*this, getMask(), getRef())))
    return mlir::failure();
  for (mlir::Value value : {getValue(), getCompare(), getOld()})
    if (value && value.getType() != type)
      return emitOpError() << "expected values of type " << type << ", but got " << value.getType();
  bool compares = getKind() == "compare_exchange";
  if (compares != static_cast<bool>(getCompare()))
    return emitOpError() << "expected elements to compare with for 'compare_exchange' alone";
  bool is_bitwise = getKind() == "and" || getKind() == "or" || getKind() == "xor";
  if (is_float(dtype) && is_bitwise)
    return emitOpError() << "expected integers or booleans for '" << getKind() << "', but got "
                         << llvm::StringRef(kolam::name(dtype));
  return mlir::success();
}

space::Signature RefUpdateOp::signature() { return opaque_signature(*this); }

std::vector<space::DataDimTable> RefUpdateOp::data_dim_rows(const space::DataDimQuestion&) {
  std::vector<space::DataDimPlace> places{result_place(0)};
  for (size_t number = 0; number < getOperation()->getNumOperands(); ++number)
    places.push_back(operand_place(number));
  return {tied(*this, std::move(places), space::DataDimCost::compute)};
}

} // namespace kolam::ir
