/// The scalar builder that emits: support/scalar/ code as arith, math and llvm ops.
#pragma once

#include "kolam/support/dtype.h"
#include "kolam/support/machine.h"
#include "kolam/support/scalar/libcall.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kolam::lower {

/// Satisfies scalar::ScalarBuilder with mlir::Value, scalars or vectors, for every kind of value.
/// Beside a vector a scalar stands for all lanes.
class ScalarBuilder {
public:
  using Value = mlir::Value;

  explicit ScalarBuilder(mlir::ImplicitLocOpBuilder& builder) : b(builder) {}
  /// Code for this machine may use more of its instructions.
  ScalarBuilder(mlir::ImplicitLocOpBuilder& builder, const Machine& machine)
      : b(builder), has_avx512_(machine.has_avx512()), has_halves_(machine.has_fma) {}

  Value add(Value x, Value y) { return binary<mlir::arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return binary<mlir::arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) { return binary<mlir::arith::MulFOp>(x, y); }
  Value div(Value x, Value y) { return binary<mlir::arith::DivFOp>(x, y); }
  Value neg(Value x) { return mlir::arith::NegFOp::create(b, x); }
  Value fma(Value x, Value y, Value z) {
    return mlir::math::FmaOp::create(b, like(x, {y, z}), like(y, {x, z}), like(z, {x, y}));
  }
  /// Whether x fills registers whose instructions take floats apart: of the three below.
  bool has_float_parts(Value x) const;
  /// x 2^k for an integral float k, rounded once.
  Value scaled(Value x, Value k);
  /// The integral k and the m in [1, 2) with x = 2^k m, for positive finite x.
  Value exponent(Value x);
  Value mantissa(Value x);
  Value sqrt(Value x) { return mlir::math::SqrtOp::create(b, x); }
  Value abs(Value x) { return mlir::math::AbsFOp::create(b, x); }
  Value copysign(Value x, Value y) { return binary<mlir::math::CopySignOp>(x, y); }
  Value floor(Value x) { return mlir::math::FloorOp::create(b, x); }
  Value ceil(Value x) { return mlir::math::CeilOp::create(b, x); }
  Value trunc(Value x) { return mlir::math::TruncOp::create(b, x); }
  Value round_even(Value x) { return mlir::math::RoundEvenOp::create(b, x); }
  Value minimum(Value x, Value y);
  Value maximum(Value x, Value y);

  Value flt(Value x, Value y) { return compare(mlir::arith::CmpFPredicate::OLT, x, y); }
  Value fle(Value x, Value y) { return compare(mlir::arith::CmpFPredicate::OLE, x, y); }
  Value fgt(Value x, Value y) { return compare(mlir::arith::CmpFPredicate::OGT, x, y); }
  Value fge(Value x, Value y) { return compare(mlir::arith::CmpFPredicate::OGE, x, y); }
  Value feq(Value x, Value y) { return compare(mlir::arith::CmpFPredicate::OEQ, x, y); }
  Value fne(Value x, Value y) { return compare(mlir::arith::CmpFPredicate::UNE, x, y); }

  Value iadd(Value x, Value y) { return binary<mlir::arith::AddIOp>(x, y); }
  Value isub(Value x, Value y) { return binary<mlir::arith::SubIOp>(x, y); }
  Value imul(Value x, Value y) { return binary<mlir::arith::MulIOp>(x, y); }
  Value sdiv(Value x, Value y) { return binary<mlir::arith::DivSIOp>(x, y); }
  Value srem(Value x, Value y) { return binary<mlir::arith::RemSIOp>(x, y); }
  Value udiv(Value x, Value y) { return binary<mlir::arith::DivUIOp>(x, y); }
  Value urem(Value x, Value y) { return binary<mlir::arith::RemUIOp>(x, y); }
  Value and_(Value x, Value y) { return binary<mlir::arith::AndIOp>(x, y); }
  Value or_(Value x, Value y) { return binary<mlir::arith::OrIOp>(x, y); }
  Value xor_(Value x, Value y) { return binary<mlir::arith::XOrIOp>(x, y); }
  Value shl(Value x, Value y) { return binary<mlir::arith::ShLIOp>(x, y); }
  Value lshr(Value x, Value y) { return binary<mlir::arith::ShRUIOp>(x, y); }
  Value ashr(Value x, Value y) { return binary<mlir::arith::ShRSIOp>(x, y); }

  Value ieq(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::eq, x, y); }
  Value ine(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::ne, x, y); }
  Value slt(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::slt, x, y); }
  Value sle(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::sle, x, y); }
  Value sgt(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::sgt, x, y); }
  Value sge(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::sge, x, y); }
  Value ult(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::ult, x, y); }
  Value ule(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::ule, x, y); }
  Value ugt(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::ugt, x, y); }
  Value uge(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::uge, x, y); }

  Value not_(Value x) { return xor_(x, int_constant_like(x, 1)); }
  Value select(Value condition, Value x, Value y) {
    return mlir::arith::SelectOp::create(b, condition, like(x, {y, condition}),
                                         like(y, {x, condition}));
  }

  Value constant_like(Value like, double value);
  Value int_constant_like(Value like, int64_t value);
  Value bits(Value x) {
    auto width = mlir::getElementTypeOrSelf(x).getIntOrFloatBitWidth();
    if (llvm::isa<mlir::IntegerType>(mlir::getElementTypeOrSelf(x)))
      return x; // f16 and bf16 are held as their bits
    return mlir::arith::BitcastOp::create(b, with_element(x, b.getIntegerType(width)), x);
  }
  template <DType dtype> Value from_bits(Value x) {
    if constexpr (dtype == DType::f32)
      return mlir::arith::BitcastOp::create(b, with_element(x, b.getF32Type()), x);
    else if constexpr (dtype == DType::f64)
      return mlir::arith::BitcastOp::create(b, with_element(x, b.getF64Type()), x);
    else
      return x;
  }
  template <int width> Value wrap(Value x) {
    if (width_of(x) == width)
      return x;
    return mlir::arith::TruncIOp::create(b, with_element(x, b.getIntegerType(width)), x);
  }
  template <int width> Value zext(Value x) {
    if (width_of(x) == width)
      return x;
    return mlir::arith::ExtUIOp::create(b, with_element(x, b.getIntegerType(width)), x);
  }
  template <int width> Value sext(Value x) {
    if (width_of(x) == width)
      return x;
    return mlir::arith::ExtSIOp::create(b, with_element(x, b.getIntegerType(width)), x);
  }
  template <int width> Value float_to_sint(Value x) {
    return mlir::arith::FPToSIOp::create(b, with_element(x, b.getIntegerType(width)), x);
  }
  template <int width> Value sint_to_float(Value x) {
    return mlir::arith::SIToFPOp::create(b, with_element(x, float_type<width>()), x);
  }
  template <int width> Value uint_to_float(Value x) {
    return mlir::arith::UIToFPOp::create(b, with_element(x, float_type<width>()), x);
  }
  Value widen(Value x) {
    return mlir::arith::ExtFOp::create(b, with_element(x, b.getF64Type()), x);
  }
  Value narrow(Value x) {
    return mlir::arith::TruncFOp::create(b, with_element(x, b.getF32Type()), x);
  }

  /// F16C, which all processors with FMA have.
  bool has_halves() const { return has_halves_; }
  Value widen_half(Value x) {
    Value half = mlir::arith::BitcastOp::create(b, with_element(x, b.getF16Type()), x);
    Value wide = mlir::arith::ExtFOp::create(b, with_element(x, b.getF32Type()), half);
    // LLVM would do in f16 what lies between two conversions, element by element.
    return mlir::LLVM::CallIntrinsicOp::create(
               b, wide.getType(), b.getStringAttr("llvm.arithmetic.fence"), mlir::ValueRange{wide})
        .getResult(0);
  }
  Value narrow_half(Value x) {
    Value half = mlir::arith::TruncFOp::create(b, with_element(x, b.getF16Type()), x);
    return mlir::arith::BitcastOp::create(b, with_element(x, b.getI16Type()), half);
  }

  Value call(scalar::Libcall function, Value x) { return call_values(function, {x}); }
  Value call(scalar::Libcall function, Value x, Value y) { return call_values(function, {x, y}); }
  /// condition ? function(x) : otherwise; the function runs only where the condition holds.
  Value call_where(Value condition, scalar::Libcall function, Value x, Value otherwise);
  /// condition ? f() : otherwise; f runs if the condition holds in any lane.
  Value rarely(Value condition, llvm::function_ref<Value()> f, Value otherwise);

  /// The body of a module's function of (bits, x, otherwise), bit l for lane l of x: the function
  /// `symbol` of the lanes whose bit is set, `otherwise` of the others.
  void define_where(mlir::func::FuncOp function, llvm::StringRef symbol);

  /// The values, all as vectors where one of them is.
  llvm::SmallVector<Value> alike(llvm::ArrayRef<Value> values);

  /// The same in all of `lanes`.
  static Value splat(mlir::ImplicitLocOpBuilder& b, Value x, int lanes);

private:
  /// x, as a vector where one of the others is.
  Value like(Value x, llvm::ArrayRef<Value> others);
  template <class Op> Value binary(Value x, Value y) {
    return Op::create(b, like(x, {y}), like(y, {x}));
  }
  template <int width> mlir::Type float_type() {
    return width == 32 ? mlir::Type(b.getF32Type()) : mlir::Type(b.getF64Type());
  }
  static int width_of(Value x) {
    return static_cast<int>(mlir::getElementTypeOrSelf(x).getIntOrFloatBitWidth());
  }
  /// `element`, or a vector of it where `like` is a vector.
  static mlir::Type with_element(Value like, mlir::Type element) {
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(like.getType()))
      return vector.clone(element);
    return element;
  }
  Value compare(mlir::arith::CmpFPredicate predicate, Value x, Value y) {
    return mlir::arith::CmpFOp::create(b, predicate, like(x, {y}), like(y, {x}));
  }
  Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y) {
    return mlir::arith::CmpIOp::create(b, predicate, like(x, {y}), like(y, {x}));
  }
  enum class Extreme : uint8_t { minimum, maximum };
  Value extreme(Extreme which, Value x, Value y);
  /// An instruction of AVX-512 that rounds and takes masks: of registers, one after the other.
  Value by_register(llvm::StringRef name, mlir::ValueRange operands);
  Value call_values(scalar::Libcall function, llvm::ArrayRef<Value> arguments);
  Value lane_of(Value x, int lane);
  Value with_lane(Value vector, int lane, Value x);
  /// condition ? yes() : otherwise, for one condition.
  Value choose(Value condition, llvm::function_ref<Value()> yes, Value otherwise);

  mlir::ImplicitLocOpBuilder& b;
  bool has_avx512_ = false, has_halves_ = false;
};

/// Declares the library functions that the module's code calls, and defines those that call them
/// for some lanes (`call_where`). Done at the end: code is emitted into loops before these lie in
/// the module.
void declare_library_calls(mlir::ModuleOp module);

} // namespace kolam::lower
