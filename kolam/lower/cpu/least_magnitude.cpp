// Emits least magnitudes, and the test whether sums may be denormal.
#include "kolam/lower/cpu/least_magnitude.h"

#include "kolam/lower/scalar_builder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <bit>
#include <cmath>

namespace kolam::lower::cpu {

/// 2 |x| - 1 of the bits of a float in f32.
static constexpr uint32_t ordered(float x) { return (std::bit_cast<uint32_t>(x) << 1) - 1; }

Value no_magnitude(Emission& e) { return e.spread(e.constant(DType::i32, ordered(1.0f))); }

Value least_of(Value x, Value y, Emission& e) { return mlir::arith::MinUIOp::create(e.b, x, y); }

Value least_magnitude(Value before, Value factor, Emission& e) {
  ScalarBuilder s(e.b);
  Value bits = s.bits(factor), one = s.int_constant_like(bits, 1);
  Value least = least_of(before, s.isub(s.shl(bits, one), one), e);
  return e.active() ? s.select(e.active(), least, before) : least;
}

Value least_of_lanes(Value least, Emission& e) {
  return e.spread(mlir::LLVM::vector_reduce_umin::create(e.b, e.b.getI32Type(), least).getResult());
}

Value are_normal(Value rows, Value columns, Emission& e) {
  ScalarBuilder s(e.b);
  auto magnitude = [&](Value least) {
    Value one = s.int_constant_like(least, 1);
    return s.from_bits<DType::f32>(s.lshr(s.iadd(least, one), one));
  };
  Value product = s.mul(magnitude(rows), magnitude(columns));
  Value tiny = s.flt(product, s.constant_like(product, std::ldexp(1.0, -110)));
  return s.not_(e.any(tiny));
}

} // namespace kolam::lower::cpu

// Note [Sums without denormals]
// A bf16 number has 8 significant bits. Where all factors of a row that are not zero have
// magnitudes of 2^a at least, and those of a column of 2^b, all are multiples of 2^(a - 7) and
// 2^(b - 7). So are their products, of 2^(a + b - 14), and all sums of these, as rounding to f32
// takes a multiple of a power of two to another one. Where a + b - 14 >= -126, no such sum is
// denormal: there is nothing to flush, whatever the order. Sums of products of infinities and NaN
// are none either. With magnitudes x < 2^(a + 1) and y < 2^(b + 1), x y >= 2^-110 says that. As
// both count as 1 at most, it also says that neither is denormal.
