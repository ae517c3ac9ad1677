// Emits sums of products.
#include "kolam/lower/product.h"

#include "kolam/lower/accumulation.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/elementwise_code.h"

#include <cfloat>

namespace kolam::lower {
namespace {

class ProductEmitter {
public:
  ProductEmitter(DType factor, DType result, Emission& e)
      : e_(e), s_(e.b), factor_(factor), sum_(is_narrow_float(factor) ? DType::f32 : result),
        bf16_(factor == DType::bf16) {}

  DType sum_dtype() const { return sum_; }
  Value zero() { return e_.constant(sum_, 0); }

  Value add(Value x, Value y) { return is_float(sum_) ? flush(s_.add(x, y)) : s_.iadd(x, y); }

  Value multiply_add(Value x, Value y, Value sum) {
    x = flush(cast<ScalarBuilder, Value>(s_, factor_, sum_, x));
    y = flush(cast<ScalarBuilder, Value>(s_, factor_, sum_, y));
    if (!is_float(sum_))
      return s_.iadd(s_.imul(x, y), sum);
    return flush(e_.has_fma ? s_.fma(x, y, sum) : s_.add(sum, s_.mul(x, y)));
  }

private:
  /// Denormals to zero, for bf16.
  Value flush(Value x) {
    if (!bf16_)
      return x;
    Value tiny = s_.flt(s_.abs(x), s_.constant_like(x, FLT_MIN));
    return s_.select(tiny, s_.copysign(s_.constant_like(x, 0), x), x);
  }

  Emission& e_;
  ScalarBuilder s_;
  DType factor_, sum_;
  bool bf16_;
};

} // namespace

Value emit_product_sum(DType factor, DType result, const Accumulate& accumulate, Value count,
                       const std::function<std::pair<Value, Value>(Value)>& factors, Emission& e) {
  ProductEmitter product(factor, result, e);
  auto onto = [&](Value sum, Value k) {
    auto [x, y] = factors(k);
    return product.multiply_add(x, y, sum);
  };
  auto pair_onto = [&](Value sum, Value pair) {
    Value even = e.mul(pair, e.i64(2)), odd = e.add(even, e.i64(1));
    Value has_odd = mlir::arith::CmpIOp::create(e.b, mlir::arith::CmpIPredicate::slt, odd, count);
    sum = e.choose(
        has_odd, [&] { return Values{onto(sum, odd)}; },
        [&] { return Values{product.add(sum, product.zero())}; })[0];
    return onto(sum, even);
  };

  Accumulate order = accumulate;
  bool pairs = factor == DType::bf16;
  Value steps = count;
  if (pairs) {
    order.chunk /= 2;
    steps = mlir::arith::CeilDivSIOp::create(e.b, count, e.i64(2));
  }
  auto step = [&](Value sum, Value k) { return pairs ? pair_onto(sum, k) : onto(sum, k); };
  Combiner combiner{{product.sum_dtype()},
                    [&](Value i) { return Values{step(product.zero(), i)}; },
                    [&](ValueSpan state, Value i) { return Values{step(state[0], i)}; },
                    [&](ValueSpan a, ValueSpan b) { return Values{product.add(a[0], b[0])}; },
                    [&] { return Values{product.zero()}; },
                    nullptr};
  Value sum = emit_accumulation(order, e.i64(1), steps, combiner, e)[0];
  ScalarBuilder scalar_builder(e.b);
  return cast<ScalarBuilder, Value>(scalar_builder, product.sum_dtype(), result, sum);
}

} // namespace kolam::lower
