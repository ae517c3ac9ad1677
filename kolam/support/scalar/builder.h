/// The builder that scalar code is written against, so that the interpreter runs and the backends
/// emit one text.
///
/// A function of scalar/ is a template `template <class B, class V> auto f(B& b, V x)`. It states
/// every operation through the builder `b` and treats values as opaque. On the host a value is a
/// C++ value (host_builder.h); a code generator passes handles (an SSA value, scalar or vector) and
/// emits one instruction for each call. Both give the same bits, because every operation here has
/// exactly one IEEE 754 or two's complement result.
#pragma once

#include "kolam/support/dtype.h"
#include "kolam/support/scalar/libcall.h"

#include <concepts>
#include <cstdint>

namespace kolam::scalar {

/// What a builder must offer. F is a float value (f32 or f64), I an integer value (8 to 64 bits), C
/// a condition (i1). For a code generator the three are one type.
///
/// Values. Integers have no sign: `slt`, `sdiv`, `ashr`, `sext` read them as signed, `ult`, `udiv`,
/// `lshr`, `zext` as unsigned. f16 and bf16 exist only as storage: `bits` and `from_bits` are the
/// only operations on them. Both operands of an operation have the same type. Rounding is to
/// nearest even; nothing is contracted. `select` takes storage types too.
///
// clang-format off
/// | operation                   | meaning                                  | MLIR               |
/// | --------------------------- | ---------------------------------------- | ------------------ |
/// | add sub mul div neg         | IEEE; neg flips the sign bit             | arith.addf ...     |
/// | fma sqrt abs copysign       | fused; correctly rounded; bit operations | math.*             |
/// | floor ceil trunc round_even | to an integral value                     | math.*             |
/// | minimum maximum             | NaN propagates, -0 < +0                  | arith.minimumf     |
/// | flt fle fgt fge feq         | ordered: false on NaN                    | arith.cmpf o*      |
/// | fne                         | unordered: true on NaN                   | arith.cmpf une     |
/// | iadd isub imul              | wrap                                     | arith.addi ...     |
/// | sdiv srem udiv urem         | caller keeps out x / 0, MIN / -1         | arith.divsi ...    |
/// | and_ or_ xor_               | bitwise, on I and on C                   | arith.andi ...     |
/// | not_                        | on C                                     | arith.xori         |
/// | shl lshr ashr               | caller keeps 0 <= amount < width         | arith.sh*          |
/// | ieq ine slt sle sgt sge     | signed comparisons                       | arith.cmpi         |
/// | ult ule ugt uge             | unsigned comparisons                     | arith.cmpi         |
/// | select(c, x, y)             | c ? x : y, both evaluated; any type      | arith.select       |
/// | constant_like(x, value)     | of x's float type, rounded to it         | arith.constant     |
/// | int_constant_like(i, value) | of i's integer type, modulo 2^width      | arith.constant     |
/// | bits(x)                     | the bits, an integer of x's width        | arith.bitcast      |
/// | from_bits<dtype>(i)         | the float of that dtype                  | arith.bitcast      |
/// | wrap<W>(i) sext<W>(i)       | to width W; i itself if it has it        | arith.trunci extsi |
/// | zext<W>(i or c)             | likewise                                 | arith.extui        |
/// | float_to_sint<W>(x)         | toward zero; caller keeps x in range     | arith.fptosi       |
/// | sint_to_float<W>(i)         | to f32 or f64, rounded once              | arith.sitofp       |
/// | uint_to_float<W>(i)         | likewise                                 | arith.uitofp       |
/// | widen(x) narrow(x)          | f32 to f64; f64 to f32, rounded          | arith.extf truncf  |
/// | call(f, x) call(f, x, y)    | libcall.h's function for x's type        | func.call          |
/// | call_where(c, f, x, y)      | c ? f(x) : y; f runs where c only        | scf.if, func.call  |
/// | rarely(c, f, y)             | c ? f() : y; f runs if c holds in a lane | scf.if             |
// clang-format on
template <class B, class F, class I, class C>
concept ScalarBuilder = requires(B b, F x, I i, C c, F (*f)()) {
  { b.add(x, x) } -> std::same_as<F>;
  { b.sub(x, x) } -> std::same_as<F>;
  { b.mul(x, x) } -> std::same_as<F>;
  { b.div(x, x) } -> std::same_as<F>;
  { b.fma(x, x, x) } -> std::same_as<F>;
  { b.neg(x) } -> std::same_as<F>;
  { b.abs(x) } -> std::same_as<F>;
  { b.sqrt(x) } -> std::same_as<F>;
  { b.floor(x) } -> std::same_as<F>;
  { b.ceil(x) } -> std::same_as<F>;
  { b.trunc(x) } -> std::same_as<F>;
  { b.round_even(x) } -> std::same_as<F>;
  { b.copysign(x, x) } -> std::same_as<F>;
  { b.minimum(x, x) } -> std::same_as<F>;
  { b.maximum(x, x) } -> std::same_as<F>;
  { b.flt(x, x) } -> std::same_as<C>;
  { b.fle(x, x) } -> std::same_as<C>;
  { b.fgt(x, x) } -> std::same_as<C>;
  { b.fge(x, x) } -> std::same_as<C>;
  { b.feq(x, x) } -> std::same_as<C>;
  { b.fne(x, x) } -> std::same_as<C>;
  { b.iadd(i, i) } -> std::same_as<I>;
  { b.isub(i, i) } -> std::same_as<I>;
  { b.imul(i, i) } -> std::same_as<I>;
  { b.sdiv(i, i) } -> std::same_as<I>;
  { b.srem(i, i) } -> std::same_as<I>;
  { b.udiv(i, i) } -> std::same_as<I>;
  { b.urem(i, i) } -> std::same_as<I>;
  { b.and_(i, i) } -> std::same_as<I>;
  { b.or_(i, i) } -> std::same_as<I>;
  { b.xor_(i, i) } -> std::same_as<I>;
  { b.and_(c, c) } -> std::same_as<C>;
  { b.or_(c, c) } -> std::same_as<C>;
  { b.xor_(c, c) } -> std::same_as<C>;
  { b.not_(c) } -> std::same_as<C>;
  { b.shl(i, i) } -> std::same_as<I>;
  { b.lshr(i, i) } -> std::same_as<I>;
  { b.ashr(i, i) } -> std::same_as<I>;
  { b.ieq(i, i) } -> std::same_as<C>;
  { b.ine(i, i) } -> std::same_as<C>;
  { b.slt(i, i) } -> std::same_as<C>;
  { b.sle(i, i) } -> std::same_as<C>;
  { b.sgt(i, i) } -> std::same_as<C>;
  { b.sge(i, i) } -> std::same_as<C>;
  { b.ult(i, i) } -> std::same_as<C>;
  { b.ule(i, i) } -> std::same_as<C>;
  { b.ugt(i, i) } -> std::same_as<C>;
  { b.uge(i, i) } -> std::same_as<C>;
  { b.select(c, x, x) } -> std::same_as<F>;
  { b.select(c, i, i) } -> std::same_as<I>;
  { b.select(c, c, c) } -> std::same_as<C>;
  { b.constant_like(x, 1.0) } -> std::same_as<F>;
  { b.int_constant_like(i, int64_t{1}) } -> std::same_as<I>;
  b.bits(x);
  b.template from_bits<DType::f32>(b.template wrap<32>(i));
  b.template wrap<8>(i);
  b.template zext<64>(i);
  b.template zext<64>(c);
  b.template sext<64>(i);
  b.template float_to_sint<32>(x);
  b.template sint_to_float<32>(i);
  b.template uint_to_float<64>(i);
  { b.call(Libcall::lgamma, x) } -> std::same_as<F>;
  { b.call(Libcall::fmod, x, x) } -> std::same_as<F>;
  { b.call_where(c, Libcall::sin_large, x, x) } -> std::same_as<F>;
  { b.rarely(c, f, x) } -> std::same_as<F>;
};

/// How a float dtype lays out its bits.
template <DType dtype> struct FloatLayout;
template <> struct FloatLayout<DType::f16> {
  static constexpr int width = 16, mantissa_bits = 10, bias = 15;
};
template <> struct FloatLayout<DType::bf16> {
  static constexpr int width = 16, mantissa_bits = 7, bias = 127;
};
template <> struct FloatLayout<DType::f32> {
  static constexpr int width = 32, mantissa_bits = 23, bias = 127;
};
template <> struct FloatLayout<DType::f64> {
  static constexpr int width = 64, mantissa_bits = 52, bias = 1023;
};

} // namespace kolam::scalar
