// Emits the scalar code of monoids.
#include "kolam/lower/reduction_code.h"

#include "kolam/lower/scalar_builder.h"
#include "kolam/support/elementwise_code.h"
#include "kolam/support/identity.h"

namespace kolam::lower {

Value emit_identity(Fn fn, DType dtype, Emission& e) {
  mlir::Type type = register_type(e.b.getContext(), dtype);
  unsigned width = type.getIntOrFloatBitWidth();
  llvm::APInt bits = llvm::APInt(64, identity_bits(fn, dtype)).trunc(width);
  if (auto float_type = llvm::dyn_cast<mlir::FloatType>(type))
    return mlir::arith::ConstantOp::create(
        e.b, e.b.getFloatAttr(float_type, llvm::APFloat(float_type.getFloatSemantics(), bits)));
  return mlir::arith::ConstantOp::create(e.b, e.b.getIntegerAttr(type, bits));
}

Value emit_cast(DType from, DType to, Value x, Emission& e) {
  ScalarBuilder scalar_builder(e.b);
  return cast<ScalarBuilder, Value>(scalar_builder, from, to, x);
}

Value emit_function(Fn fn, DType dtype, ValueSpan arguments, Emission& e) {
  ScalarBuilder scalar_builder(e.b);
  return elementwise<ScalarBuilder, Value>(scalar_builder, fn, dtype, arguments);
}

ReductionCode reduction_code(mlir::Operation* op, Emission& e) {
  if (auto reduce = llvm::dyn_cast<ir::ReduceOp>(op))
    return reduction_code(reduce, e);
  return reduction_code(llvm::cast<ir::ZipMapReduceOp>(op), e);
}

} // namespace kolam::lower
