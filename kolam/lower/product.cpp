// Emits sums of products.
#include "kolam/lower/product.h"

#include "kolam/lower/accumulation.h"
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
  x = flush(cast<ScalarBuilder, Value>(s, held_, sum_, x));
  y = flush(cast<ScalarBuilder, Value>(s, held_, sum_, y));
  if (!is_float(sum_))
    return s.iadd(s.imul(x, y), sum);
  return flush(e_.machine.has_fma ? s.fma(x, y, sum) : s.add(sum, s.mul(x, y)));
}

Values ProductArithmetic::multiply_add(ValueSpan x, ValueSpan y, ValueSpan sums) {
  Values next;
  for (auto [a, b, sum] : llvm::zip(x, y, sums))
    next.push_back(multiply_add(a, b, sum));
  return next;
}

/// vcvtneps2bf16, which takes denormals for zeros; such sums are flushed.
static Value narrowed_pairs(Value sums, Emission& e) {
  auto vector = llvm::cast<mlir::VectorType>(sums.getType());
  mlir::Type narrow = mlir::VectorType::get(vector.getShape(), e.b.getBF16Type());
  auto name = e.b.getStringAttr("llvm.x86.avx512bf16.cvtneps2bf16.512");
  auto call = mlir::LLVM::CallIntrinsicOp::create(e.b, narrow, name, mlir::ValueRange{sums});
  mlir::Type bits = mlir::VectorType::get(vector.getShape(), e.b.getI16Type());
  return mlir::LLVM::BitcastOp::create(e.b, bits, call.getResult(0));
}

Value ProductArithmetic::result(Value sum) {
  ScalarBuilder s(e_.b);
  auto vector = llvm::dyn_cast<mlir::VectorType>(sum.getType());
  if (goes_by_pairs() && result_ == DType::bf16 && e_.machine.has_bf16_dots && vector &&
      vector.getNumElements() == 16)
    return narrowed_pairs(sum, e_);
  return cast<ScalarBuilder, Value>(s, sum_, result_, sum);
}

/// Denormals to zero, for bf16.
Value ProductArithmetic::flush(Value x) {
  if (!goes_by_pairs())
    return x;
  ScalarBuilder s(e_.b);
  Value tiny = s.flt(s.abs(x), s.constant_like(x, FLT_MIN));
  return s.select(tiny, s.copysign(s.constant_like(x, 0), x), x);
}

Values emit_sum_steps(ProductArithmetic& product, const Accumulate& order, Value count, size_t sums,
                      const std::function<Values(ValueSpan, const Coordinate&)>& step,
                      Emission& e) {
  Combiner combiner{std::vector<DType>(sums, product.sum_dtype()),
                    [&](const Coordinate& i) { return step(product.zeros(sums), i); },
                    step,
                    [&](ValueSpan a, ValueSpan b) {
                      Values merged;
                      for (auto [x, y] : llvm::zip(a, b))
                        merged.push_back(product.add(x, y));
                      return merged;
                    },
                    [&] { return product.zeros(sums); },
                    nullptr};
  return emit_accumulation(order, e.i64(1), count, combiner, e);
}

Values emit_sums(ProductArithmetic& product, const Accumulate& accumulate, ValueSpan summed,
                 size_t sums, const Factors& factors, Emission& e) {
  Value count = e.i64(1);
  for (Value extent : summed)
    count = e.mul(count, extent);
  auto onto = [&](ValueSpan state, IndexSpan places) {
    auto [x, y] = factors(places);
    return product.multiply_add(x, y, state);
  };
  if (auto known = constant_of(count); known && *known <= accumulate.chunk && summed.size() > 1 &&
                                       accumulate.order == Order::chain &&
                                       !product.goes_by_pairs()) {
    // One chain: a loop for each dim.
    Index places;
    std::function<Values(ValueSpan)> along = [&](ValueSpan state) -> Values {
      if (places.size() == summed.size())
        return e.spread(onto(state, places));
      return e.loop(e.i64(0), summed[places.size()], state, [&](Value k, ValueSpan carried) {
        places.push_back(k);
        Values next = along(carried);
        places.pop_back();
        return next;
      });
    };
    return along(product.zeros(sums));
  }
  auto at = [&](ValueSpan state, const Coordinate& k) { return onto(state, e.unravel(k, summed)); };
  if (!product.goes_by_pairs())
    return emit_sum_steps(product, accumulate, count, sums, at, e);
  Accumulate order = accumulate;
  order.chunk /= 2;
  Value pairs = mlir::arith::CeilDivSIOp::create(e.b, count, e.i64(2));
  auto pair_onto = [&](ValueSpan state, const Coordinate& pair) {
    Coordinate even = e.mul(pair, e.i64(2)), odd = e.add(even, e.i64(1));
    Value has_odd = e.compare(mlir::arith::CmpIPredicate::slt, odd, count);
    Values later = e.choose(
        has_odd, [&] { return at(state, odd); },
        [&] {
          return llvm::map_to_vector(state,
                                     [&](Value sum) { return product.add(sum, product.zero()); });
        });
    return at(later, even);
  };
  return emit_sum_steps(product, order, pairs, sums, pair_onto, e);
}

} // namespace kolam::lower
