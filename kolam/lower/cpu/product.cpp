// Emits sums of products.
#include "kolam/lower/cpu/product.h"

#include "kolam/lower/cpu/accumulation.h"
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

Values ProductArithmetic::add(ValueSpan x, ValueSpan y) {
  Values sums;
  for (auto [a, b] : llvm::zip(x, y))
    sums.push_back(add(a, b));
  return sums;
}

bool is_one_chain(const ProductArithmetic& product, const Accumulate& order, Value count) {
  auto known = constant_of(count);
  return order.order == Order::chain &&
         (!is_float(product.sum_dtype()) || (known && *known <= order.chunk));
}

namespace {

/// The sums of products [begin, end), from zeros.
using Chain = llvm::function_ref<Values(Value begin, Value end)>;

Values emit_chains(const SumOrder& order, Value count, size_t sums, Chain chain,
                   ProductArithmetic& product, Emission& e) {
  if (is_one_chain(product, order.accumulate, count))
    return chain(e.i64(0), count);
  Combiner combiner;
  combiner.dtypes.assign(sums, product.sum_dtype());
  combiner.merge = [&](ValueSpan a, ValueSpan b) { return product.add(a, b); };
  combiner.empty = [&] { return product.zeros(sums); };
  combiner.chunk = [&](Value start, Value length) { return chain(start, e.add(start, length)); };
  combiner.slots = order.slots;
  return emit_accumulation(order.accumulate, e.i64(1), count, combiner, e);
}

using Onto = llvm::function_ref<Values(ValueSpan state, IndexSpan places)>;

/// Adds all products, by a loop for each dim.
Values emit_whole_space(ValueSpan extents, ValueSpan state, Index& outer, Onto onto, Emission& e) {
  if (extents.empty())
    return e.spread(onto(state, outer));
  return e.loop(e.i64(0), extents[0], state, [&](Value k, ValueSpan carried) {
    outer.push_back(k);
    Values next = emit_whole_space(extents.drop_front(), carried, outer, onto, e);
    outer.pop_back();
    return next;
  });
}

/// Adds products [begin, end) of the space, row-major: what lies in one run of the last dim by a
/// loop.
Values emit_part_of_space(ValueSpan extents, Value begin, Value end, ValueSpan state, Onto onto,
                          Emission& e) {
  Value length = extents.back();
  Value last = mlir::arith::CeilDivSIOp::create(e.b, end, length);
  Value first = mlir::arith::DivSIOp::create(e.b, begin, length);
  return e.loop(first, last, state, [&](Value run, ValueSpan before) {
    Index places = e.unravel(run, extents.drop_back());
    Value start = e.mul(run, length);
    auto within = [&](Value k) { return e.clip(e.sub(k, start), length); };
    return e.loop(within(begin), within(end), before, [&](Value k, ValueSpan carried) {
      Index all(places);
      all.push_back(k);
      return e.spread(onto(carried, all));
    });
  });
}

} // namespace

Values emit_sum_steps(ProductArithmetic& product, const SumOrder& order, Value count, size_t sums,
                      const std::function<Values(ValueSpan, const Coordinate&)>& step,
                      Emission& e) {
  if (order.accumulate.order == Order::chain)
    return emit_chains(
        order, count, sums,
        [&](Value begin, Value end) {
          return e.loop(begin, end, product.zeros(sums), [&](Value i, ValueSpan state) {
            return e.spread(step(state, Coordinate(i)));
          });
        },
        product, e);
  Combiner combiner;
  combiner.dtypes.assign(sums, product.sum_dtype());
  combiner.first = [&](const Coordinate& i) { return step(product.zeros(sums), i); };
  combiner.step = step;
  combiner.merge = [&](ValueSpan a, ValueSpan b) { return product.add(a, b); };
  combiner.empty = [&] { return product.zeros(sums); };
  return emit_accumulation(order.accumulate, e.i64(1), count, combiner, e);
}

/// See Note [bf16 pairs] in interp/product.cpp.
static Values emit_pairs(ProductArithmetic& product, SumOrder order, Value count, size_t sums,
                         const std::function<Values(ValueSpan, const Coordinate&)>& onto,
                         Emission& e) {
  order.accumulate.chunk /= 2;
  Value pairs = e.b.createOrFold<mlir::arith::CeilDivSIOp>(count, e.i64(2));
  auto pair_onto = [&](ValueSpan state, const Coordinate& pair) {
    Coordinate even = e.mul(pair, e.i64(2)), odd = e.add(even, e.i64(1));
    Value has_odd = e.compare(mlir::arith::CmpIPredicate::slt, odd, count);
    Values later = e.choose(
        has_odd, [&] { return onto(state, odd); },
        [&] { return product.add(state, product.zeros(sums)); });
    return onto(later, even);
  };
  return emit_sum_steps(product, order, pairs, sums, pair_onto, e);
}

Values emit_sums(ProductArithmetic& product, const SumOrder& order, ValueSpan summed, size_t sums,
                 const Factors& factors, Emission& e) {
  Value count = e.i64(1);
  for (Value extent : summed)
    count = e.mul(count, extent);
  auto onto = [&](ValueSpan state, IndexSpan places) {
    auto [x, y] = factors(places);
    return product.multiply_add(x, y, state);
  };
  auto at = [&](ValueSpan state, const Coordinate& k) { return onto(state, e.unravel(k, summed)); };
  if (product.goes_by_pairs())
    return emit_pairs(product, order, count, sums, at, e);
  if (order.accumulate.order != Order::chain || summed.size() < 2)
    return emit_sum_steps(product, order, count, sums, at, e);
  bool is_one = is_one_chain(product, order.accumulate, count);
  return emit_chains(
      order, count, sums,
      [&](Value begin, Value end) {
        Index outer;
        Values zeros = product.zeros(sums);
        return is_one ? emit_whole_space(summed, zeros, outer, onto, e)
                      : emit_part_of_space(summed, begin, end, zeros, onto, e);
      },
      product, e);
}

} // namespace kolam::lower
