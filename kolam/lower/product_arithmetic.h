/// The arithmetic of sums of products, on register values.
#pragma once

#include "kolam/lower/emission.h"

namespace kolam::lower {

/// The steps of sums of products of factors of one dtype, on register values, scalars or vectors.
/// bf16 and f16 accumulate in f32 (Note [bf16 pairs] in interp/product.cpp).
class ProductArithmetic {
public:
  ProductArithmetic(DType factor, DType result, Emission& emission);

  /// Takes factors that were cast to this dtype before.
  void take_cast_factors(DType held) { held_ = held; }
  /// From here on, whether factors and sums may be denormal: of bf16 those become zeros.
  void take_denormals(bool may_be_denormal) { may_be_denormal_ = may_be_denormal; }
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
  /// The same of factors that were cast before.
  Value add_product(Value x, Value y, Value sum);
  /// The sums with a term more each.
  Values multiply_add(const Terms& terms, ValueSpan sums);
  /// A sum as a value of the result.
  Value result(Value sum);

private:
  Value flush(Value x);

  Emission& e_;
  DType factor_, result_, sum_, held_;
  bool may_be_denormal_ = true;
};

} // namespace kolam::lower
