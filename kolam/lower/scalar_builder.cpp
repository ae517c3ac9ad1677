// Constants and library calls of emitted scalar code.
#include "kolam/lower/scalar_builder.h"

#include "kolam/support/error.h"

namespace kolam::lower {

mlir::Value ScalarBuilder::constant_like(Value like, double value) {
  mlir::Type type = like.getType();
  auto element = b.getFloatAttr(mlir::getElementTypeOrSelf(type), value);
  if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
    return mlir::arith::ConstantOp::create(b, mlir::DenseElementsAttr::get(vector, element));
  return mlir::arith::ConstantOp::create(b, element);
}

mlir::Value ScalarBuilder::int_constant_like(Value like, int64_t value) {
  mlir::Type type = like.getType();
  auto element_type = llvm::cast<mlir::IntegerType>(mlir::getElementTypeOrSelf(type));
  llvm::APInt bits(64, static_cast<uint64_t>(value));
  auto element = b.getIntegerAttr(element_type, bits.trunc(element_type.getWidth()));
  if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
    return mlir::arith::ConstantOp::create(b, mlir::DenseElementsAttr::get(vector, element));
  return mlir::arith::ConstantOp::create(b, element);
}

mlir::Value ScalarBuilder::call_values(scalar::Libcall function, llvm::ArrayRef<Value> arguments) {
  mlir::Type type = arguments.front().getType();
  KOLAM_CHECK(!llvm::isa<mlir::VectorType>(type));
  llvm::StringRef symbol =
      scalar::libcall_symbol(function, type.isF64() ? DType::f64 : DType::f32).name;
  return mlir::func::CallOp::create(b, symbol, mlir::TypeRange{type}, arguments).getResult(0);
}

mlir::Value ScalarBuilder::call_where(Value condition, scalar::Libcall function, Value x,
                                      Value otherwise) {
  auto branch = mlir::scf::IfOp::create(
      b, condition,
      [&](mlir::OpBuilder& inner, mlir::Location) {
        mlir::OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
        mlir::scf::YieldOp::create(b, mlir::ValueRange{call(function, x)});
      },
      [&](mlir::OpBuilder& inner, mlir::Location loc) {
        mlir::scf::YieldOp::create(inner, loc, mlir::ValueRange{otherwise});
      });
  return branch.getResult(0);
}

void declare_library_calls(mlir::ModuleOp module) {
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(module.getBody());
  module.walk([&](mlir::func::CallOp call) {
    if (module.lookupSymbol(call.getCallee()))
      return;
    mlir::func::FuncOp::create(builder, call.getLoc(), call.getCallee(), call.getCalleeType())
        .setPrivate();
  });
}

} // namespace kolam::lower
