// Elements of kolam.constant where all are the same; other literals are buffers.
#include "kolam/lower/ops.h"
#include "kolam/support/error.h"

namespace kolam::lower {

Values emit_cells(ir::ConstantOp op, IndexSpan, Emission& e) {
  auto value = llvm::cast<mlir::DenseElementsAttr>(op.getValue());
  KOLAM_CHECK(value.isSplat());
  DType dtype = ir::dtype_of(op.getResult());
  mlir::Type type = register_type(e.b.getContext(), dtype);
  mlir::TypedAttr attr;
  if (dtype == DType::f32 || dtype == DType::f64)
    attr = mlir::FloatAttr::get(type, value.getSplatValue<llvm::APFloat>());
  else if (is_narrow_float(dtype))
    attr = mlir::IntegerAttr::get(type, value.getSplatValue<llvm::APFloat>().bitcastToAPInt());
  else
    attr = mlir::IntegerAttr::get(type, value.getSplatValue<llvm::APInt>());
  return {mlir::arith::ConstantOp::create(e.b, attr)};
}

} // namespace kolam::lower
