// One element, repeated.
#include "kolam/transform/kernels/unwritten.h"

#include "kolam/ir/types.h"
#include "kolam/language/creation.h"
#include "kolam/language/promotion.h"

namespace kolam::transform::kernels {

using language::Builder;

mlir::DenseElementsAttr zero_of(Builder& b, mlir::Type type) {
  auto scalar = mlir::RankedTensorType::get({}, mlir::getElementTypeOrSelf(type));
  return mlir::DenseElementsAttr::get(scalar, b.getZeroAttr(scalar.getElementType()));
}

mlir::DenseElementsAttr poison_of(Builder& b, mlir::Type type) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  auto scalar = mlir::RankedTensorType::get({}, element);
  if (auto floats = llvm::dyn_cast<mlir::FloatType>(element))
    return mlir::DenseElementsAttr::get(scalar, llvm::APFloat::getQNaN(floats.getFloatSemantics()));
  const unsigned width = element.getIntOrFloatBitWidth();
  const bool is_signed = width > 1 && !element.isUnsignedInteger();
  return mlir::DenseElementsAttr::get(scalar, is_signed ? llvm::APInt::getSignedMinValue(width)
                                                        : llvm::APInt::getMaxValue(width));
}

language::Value unwritten(Builder& b, mlir::Type type, bool checks) {
  auto fill = checks ? poison_of(b, type) : zero_of(b, type);
  return language::full(b, ir::shape_of(type), language::make_constant(b, fill));
}

} // namespace kolam::transform::kernels
