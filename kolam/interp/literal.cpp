// Reads literals.
#include "kolam/interp/literal.h"

#include "kolam/ir/types.h"
#include "kolam/support/error.h"

namespace kolam::interp {

runtime::Array to_array(mlir::ElementsAttr value) {
  auto type = llvm::cast<mlir::RankedTensorType>(value.getShapedType());
  DType dtype = ir::dtype_of(type);
  runtime::Array array = runtime::Array::uninitialized(
      dtype, std::vector<int64_t>(type.getShape().begin(), type.getShape().end()));
  auto* out = static_cast<std::byte*>(array.mutable_data());
  int width = byte_width(dtype);
  if (auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(value);
      dense && !dense.isSplat() && dtype != DType::boolean) {
    if (array.size() > 0)
      std::memcpy(out, dense.getRawData().data(), array.byte_count());
    return array;
  }
  auto write = [&](const llvm::APInt& bits) {
    uint64_t word = bits.getZExtValue();
    std::memcpy(out, &word, width);
    out += width;
  };
  if (is_float(dtype))
    for (const llvm::APFloat& element : value.getValues<llvm::APFloat>())
      write(element.bitcastToAPInt());
  else
    for (const llvm::APInt& element : value.getValues<llvm::APInt>())
      write(element);
  return array;
}

mlir::DenseElementsAttr to_literal(const runtime::Array& array, mlir::MLIRContext* context) {
  Shape shape(array.shape().begin(), array.shape().end());
  auto type = ir::tensor_type(context, array.dtype(), shape);
  if (array.dtype() == DType::boolean) {
    auto values = array.values<bool>();
    return mlir::DenseElementsAttr::get(type, llvm::ArrayRef(values.data(), values.size()));
  }
  llvm::ArrayRef<char> raw(static_cast<const char*>(array.data()), array.byte_count());
  return mlir::DenseElementsAttr::getFromRawBuffer(type, raw);
}

} // namespace kolam::interp
