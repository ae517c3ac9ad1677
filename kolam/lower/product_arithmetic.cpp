// Emits the arithmetic of sums of products.
#include "kolam/lower/product_arithmetic.h"

#include "kolam/lower/scalar_builder.h"
#include "kolam/support/elementwise_code.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cfloat>

namespace kolam::lower {

ProductArithmetic::ProductArithmetic(DType factor, DType result, Emission& e)
    : e_(e), factor_(factor), result_(result), sum_(is_narrow_float(factor) ? DType::f32 : result),
      held_(factor) {}

Value ProductArithmetic::zero() { return e_.constant(sum_, 0); }

Value ProductArithmetic::add(Value x, Value y) {
  ScalarBuilder s(e_.b);
  return is_float(sum_) ? flush(s.add(x, y)) : s.iadd(x, y);
}

Value ProductArithmetic::multiply_add(Value x, Value y, Value sum) {
  ScalarBuilder s(e_.b);
  return add_product(cast<ScalarBuilder, Value>(s, held_, sum_, x),
                     cast<ScalarBuilder, Value>(s, held_, sum_, y), sum);
}

Value ProductArithmetic::add_product(Value x, Value y, Value sum) {
  ScalarBuilder s(e_.b);
  x = flush(x);
  y = flush(y);
  if (!is_float(sum_))
    return s.iadd(s.imul(x, y), sum);
  return flush(e_.machine.has_fma ? s.fma(x, y, sum) : s.add(sum, s.mul(x, y)));
}

Values ProductArithmetic::multiply_add(const Terms& terms, ValueSpan sums) {
  ScalarBuilder s(e_.b);
  Values next;
  for (auto [x, y, sum] : llvm::zip(terms.x, terms.y, sums))
    next.push_back(multiply_add(x, y, sum));
  for (auto [counts, added, sum] : llvm::zip(terms.counts, next, sums)) {
    // LLVM would turn `a <= b` into its opposite, and miss the masked step.
    Value kept = mlir::LLVM::FreezeOp::create(e_.b, counts);
    added = s.select(kept, added, sum);
  }
  return next;
}

Value ProductArithmetic::result(Value sum) {
  ScalarBuilder s(e_.b);
  if (goes_by_pairs() && result_ == DType::bf16)
    if (Value narrow = e_.narrowed_pairs(sum))
      return narrow;
  return cast<ScalarBuilder, Value>(s, sum_, result_, sum);
}

/// Denormals to zero, for bf16.
Value ProductArithmetic::flush(Value x) {
  if (!goes_by_pairs() || !may_be_denormal_)
    return x;
  ScalarBuilder s(e_.b);
  Value tiny = s.flt(s.abs(x), s.constant_like(x, FLT_MIN));
  return s.select(tiny, s.copysign(s.constant_like(x, 0), x), x);
}

Values ProductArithmetic::add(ValueSpan x, ValueSpan y) {
  Values sums;
  for (auto [a, b] : llvm::zip(x, y))
    sums.push_back(add(a, b));
  return sums;
}

} // namespace kolam::lower
