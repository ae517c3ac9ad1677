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
    return flush(e_.machine.has_fma ? s_.fma(x, y, sum) : s_.add(sum, s_.mul(x, y)));
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

Value emit_product_sum(DType factor, DType result, const Accumulate& order, Value count,
                       const std::function<std::pair<Value, Value>(const Coordinate&)>& factors,
                       Emission& e) {
  auto single = [&](const Coordinate& k) {
    auto [x, y] = factors(k);
    return std::pair(Values{x}, Values{y});
  };
  return emit_product_sums(factor, result, order, count, 1, single, e)[0];
}

Values emit_product_sums(DType factor, DType result, const Accumulate& accumulate, Value count,
                         int sums,
                         const std::function<std::pair<Values, Values>(const Coordinate&)>& factors,
                         Emission& e) {
  ProductEmitter product(factor, result, e);
  auto onto = [&](ValueSpan state, const Coordinate& k) {
    auto [x, y] = factors(k);
    Values next;
    for (auto [sum, a, b] : llvm::zip(state, x, y))
      next.push_back(product.multiply_add(a, b, sum));
    return next;
  };
  auto pair_onto = [&](ValueSpan state, const Coordinate& pair) {
    Coordinate even = e.mul(pair, e.i64(2)), odd = e.add(even, e.i64(1));
    Value has_odd = e.compare(mlir::arith::CmpIPredicate::slt, odd, count);
    Values later = e.choose(
        has_odd, [&] { return onto(state, odd); },
        [&] {
          return llvm::map_to_vector(state,
                                     [&](Value sum) { return product.add(sum, product.zero()); });
        });
    return onto(later, even);
  };

  Accumulate order = accumulate;
  bool pairs = factor == DType::bf16;
  Value steps = count;
  if (pairs) {
    order.chunk /= 2;
    steps = mlir::arith::CeilDivSIOp::create(e.b, count, e.i64(2));
  }
  auto step = [&](ValueSpan state, const Coordinate& k) {
    return pairs ? pair_onto(state, k) : onto(state, k);
  };
  auto zeros = [&] { return e.spread(Values(sums, product.zero())); };
  Combiner combiner{std::vector<DType>(sums, product.sum_dtype()),
                    [&](const Coordinate& i) { return step(zeros(), i); },
                    step,
                    [&](ValueSpan a, ValueSpan b) {
                      Values merged;
                      for (auto [x, y] : llvm::zip(a, b))
                        merged.push_back(product.add(x, y));
                      return merged;
                    },
                    zeros,
                    nullptr};
  ScalarBuilder scalar_builder(e.b);
  Values total = emit_accumulation(order, e.i64(1), steps, combiner, e);
  return llvm::map_to_vector(total, [&](Value sum) {
    return cast<ScalarBuilder, Value>(scalar_builder, product.sum_dtype(), result, sum);
  });
}

} // namespace kolam::lower
