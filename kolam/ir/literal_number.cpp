// Reads splats.
#include "kolam/ir/literal_number.h"

namespace kolam::ir {

std::optional<int64_t> literal_number(ConstantOp op) {
  auto value = llvm::dyn_cast<mlir::DenseIntElementsAttr>(op.getValue());
  if (!value || !value.isSplat())
    return std::nullopt;
  llvm::APInt number = value.getSplatValue<llvm::APInt>();
  return is_signed_integer(dtype_of(op.getResult()))
             ? number.getSExtValue()
             : static_cast<int64_t>(number.getLimitedValue(INT64_MAX));
}

} // namespace kolam::ir
