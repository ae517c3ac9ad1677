// Emits sums of products.
#include "kolam/lower/cpu/product.h"

#include "kolam/lower/cpu/accumulation.h"
#include "kolam/lower/in_rows.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/elementwise_code.h"

namespace kolam::lower::cpu {

bool is_one_chain(const ProductArithmetic& product, const Accumulate& order, Value count) {
  auto known = constant_of(count);
  return order.order == Order::chain &&
         (!is_float(product.sum_dtype()) || order.chunk >= kEndless / 4 ||
          (known && *known <= order.chunk));
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

/// The loops of the dims behind `outer`.
Values emit_inner_space(ValueSpan extents, ValueSpan state, Index& outer, Onto onto, Emission& e) {
  if (extents.empty())
    return e.spread(onto(state, outer));
  return e.loop(e.i64(0), extents[0], state, [&](Value k, ValueSpan carried) {
    outer.push_back(k);
    Values next = emit_inner_space(extents.drop_front(), carried, outer, onto, e);
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

/// Adds those of the terms [begin, end) that take part: up to where all do, these, and the others.
Values emit_terms(const SumOrder& order, Value begin, Value end, ValueSpan zeros,
                  llvm::function_ref<Values(Value, Value, ValueSpan)> add, Emission& e) {
  const TermRange& terms = order.terms;
  if (!terms.first)
    return add(begin, end, zeros);
  auto larger = [&](Value x, Value y) { return e.b.createOrFold<mlir::arith::MaxSIOp>(x, y); };
  auto smaller = [&](Value x, Value y) { return e.b.createOrFold<mlir::arith::MinSIOp>(x, y); };
  begin = larger(begin, terms.first);
  end = smaller(end, terms.last);
  Value whole = larger(begin, smaller(terms.whole, end));
  Value whole_last = larger(whole, smaller(terms.whole_last, end));
  Values sums = add(begin, whole, zeros);
  *order.all_count = true;
  sums = add(whole, whole_last, sums);
  *order.all_count = false;
  return add(whole_last, end, sums);
}

} // namespace

Values emit_sum_steps(ProductArithmetic& product, const SumOrder& order, Value count, size_t sums,
                      const std::function<Values(ValueSpan, const Coordinate&)>& step,
                      Emission& e) {
  if (order.accumulate.order == Order::chain)
    return emit_chains(
        order, count, sums,
        [&](Value begin, Value end) {
          auto add = [&](Value from, Value to, ValueSpan before) {
            return e.loop(from, to, before, [&](Value i, ValueSpan state) {
              return e.spread(step(state, Coordinate(i)));
            });
          };
          return emit_terms(order, begin, end, product.zeros(sums), add, e);
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

Values emit_whole_space(ValueSpan extents, ValueSpan state,
                        llvm::function_ref<Values(ValueSpan, IndexSpan)> body, Emission& e) {
  Index outer;
  return emit_inner_space(extents, state, outer, body, e);
}

/// See Note [bf16 pairs] in interp/product.cpp.
static Values emit_pairs(ProductArithmetic& product, SumOrder order, Value count, size_t sums,
                         const std::function<Values(ValueSpan, const Coordinate&)>& onto,
                         Emission& e) {
  order.accumulate.chunk /= 2;
  Value pairs = e.b.createOrFold<mlir::arith::CeilDivSIOp>(count, e.i64(2));
  Value whole = e.b.createOrFold<mlir::arith::DivSIOp>(count, e.i64(2));
  const bool is_even = constant_of(count).value_or(1) % 2 == 0;
  auto without_odd = [&](ValueSpan state) { return product.add(state, product.zeros(sums)); };
  auto whole_onto = [&](ValueSpan state, const Coordinate& pair) {
    Coordinate even = e.mul(pair, e.i64(2));
    return onto(onto(state, e.add(even, e.i64(1))), even);
  };
  auto pair_onto = [&](ValueSpan state, const Coordinate& pair) {
    if (is_even)
      return whole_onto(state, pair);
    Coordinate even = e.mul(pair, e.i64(2)), odd = e.add(even, e.i64(1));
    Value has_odd = e.compare(mlir::arith::CmpIPredicate::slt, odd, count);
    return onto(e.choose(
                    has_odd, [&] { return onto(state, odd); }, [&] { return without_odd(state); }),
                even);
  };
  if (order.accumulate.order != Order::chain)
    return emit_sum_steps(product, order, pairs, sums, pair_onto, e);
  auto chain = [&](Value begin, Value end) {
    Value last = e.b.createOrFold<mlir::arith::MinSIOp>(end, whole);
    Values state = e.loop(begin, last, product.zeros(sums), [&](Value pair, ValueSpan carried) {
      return e.spread(whole_onto(carried, pair));
    });
    if (is_even)
      return state;
    auto single_onto = [&] { return onto(without_odd(state), e.mul(whole, e.i64(2))); };
    Value has_more = e.compare(mlir::arith::CmpIPredicate::sgt, end, whole);
    return e.choose(has_more, single_onto, [&] { return state; });
  };
  return emit_chains(order, pairs, sums, chain, product, e);
}

Values emit_sums(ProductArithmetic& product, const SumOrder& order, ValueSpan summed, size_t sums,
                 const Factors& factors, Emission& e) {
  Value count = e.i64(1);
  for (Value extent : summed)
    count = e.mul(count, extent);
  auto onto = [&](ValueSpan state, IndexSpan places) {
    return product.multiply_add(factors(places), state);
  };
  auto at = [&](ValueSpan state, const Coordinate& k) {
    return emit_in_rows(k, summed, [&](IndexSpan places) { return onto(state, places); }, e);
  };
  if (product.goes_by_pairs())
    return emit_pairs(product, order, count, sums, at, e);
  if (order.accumulate.order != Order::chain || summed.size() < 2)
    return emit_sum_steps(product, order, count, sums, at, e);
  bool is_one = is_one_chain(product, order.accumulate, count);
  return emit_chains(
      order, count, sums,
      [&](Value begin, Value end) {
        Values zeros = product.zeros(sums);
        return is_one ? emit_whole_space(summed, zeros, onto, e)
                      : emit_part_of_space(summed, begin, end, zeros, onto, e);
      },
      product, e);
}

} // namespace kolam::lower::cpu
