/// Emitting sums of products: the twin of interp/product.h.
#pragma once

#include "kolam/lower/emission.h"
#include "kolam/support/accumulate.h"

namespace kolam::lower {

/// The steps of sums of products of factors of one dtype, on register values, scalars or vectors.
/// bf16 and f16 accumulate in f32 (Note [bf16 pairs] in interp/product.cpp).
class ProductArithmetic {
public:
  ProductArithmetic(DType factor, DType result, Emission& emission);

  /// Takes factors that were cast to the sums' dtype before.
  void take_cast_factors() { held_ = sum_; }
  /// The dtype in which factors are taken.
  DType held_dtype() const { return held_; }
  /// What sums are held in.
  DType sum_dtype() const { return sum_; }
  /// Whether factors go by pairs, the second of each first.
  bool goes_by_pairs() const { return factor_ == DType::bf16; }
  Value zero();
  Values zeros(size_t count) { return Values(count, e_.spread(zero())); }
  Value add(Value x, Value y);
  Values add(ValueSpan x, ValueSpan y);
  Value multiply_add(Value x, Value y, Value sum);
  Values multiply_add(ValueSpan x, ValueSpan y, ValueSpan sums);
  /// A sum as a value of the result.
  Value result(Value sum);

private:
  Value flush(Value x);

  Emission& e_;
  DType factor_, result_, sum_, held_;
};

/// The factors at an index of the summed dims, one of each for every sum.
using Factors = std::function<std::pair<Values, Values>(IndexSpan summed)>;

/// In which order sums go, and where those of whole chunks wait (Combiner::slots).
struct SumOrder {
  Accumulate accumulate;
  Value slots = nullptr;
};
/// Whether `count` products are known to be one chain, or can go as one: integers give the same
/// sums in every order.
bool is_one_chain(const ProductArithmetic& product, const Accumulate& order, Value count);

/// `sums` sums over the index space `summed`, row-major, in the op's order; before `result`.
Values emit_sums(ProductArithmetic& product, const SumOrder& order, ValueSpan summed, size_t sums,
                 const Factors& factors, Emission& emission);

/// The same by steps 0 .. count - 1 of the chain, each of one element of `order`'s chunks.
Values emit_sum_steps(ProductArithmetic& product, const SumOrder& order, Value count, size_t sums,
                      const std::function<Values(ValueSpan, const Coordinate&)>& step,
                      Emission& emission);

} // namespace kolam::lower
