/// Emitting sums of products: the twin of interp/product.h.
#pragma once

#include "kolam/lower/emission.h"
#include "kolam/support/accumulate.h"

namespace kolam::lower {

/// sum over k < count of lhs(k) * rhs(k), whose factors are register values of `factor`, in the
/// op's order; a register value of `result`. bf16 and f16 accumulate in f32 (Note [bf16 pairs] in
/// interp/product.cpp).
Value emit_product_sum(DType factor, DType result, const Accumulate& order, Value count,
                       const std::function<std::pair<Value, Value>(const Coordinate& k)>& factors,
                       Emission& emission);

/// The same for several sums side by side: the factors of all of them at k.
Values
emit_product_sums(DType factor, DType result, const Accumulate& order, Value count, int sums,
                  const std::function<std::pair<Values, Values>(const Coordinate& k)>& factors,
                  Emission& emission);

} // namespace kolam::lower
