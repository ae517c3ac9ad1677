/// The loops of sums of products: the twin of interp/product.h.
#pragma once

#include "kolam/lower/cpu/emission.h"
#include "kolam/lower/product_arithmetic.h"

namespace kolam::lower::cpu {

/// Outside of terms [first, last) none takes part in any of some sums; within [whole, whole_last)
/// all take part in each. Null: nothing is known.
struct TermRange {
  Value first, last, whole, whole_last;
};
/// In which order sums go, where those of whole chunks wait (Combiner::slots), and which terms take
/// part. `all_count` is set while terms are emitted of which all do.
struct SumOrder {
  Accumulate accumulate;
  Value slots = nullptr;
  TermRange terms = {};
  bool* all_count = nullptr;
};
/// Whether `count` products are known to be one chain, or can go as one: integers give the same
/// sums in every order.
bool is_one_chain(const ProductArithmetic& product, const Accumulate& order, Value count);

/// state = body(state, places) for all places of an index space, row-major: a loop for each dim.
Values emit_whole_space(ValueSpan extents, ValueSpan state,
                        llvm::function_ref<Values(ValueSpan state, IndexSpan places)> body,
                        Emission& emission);

/// `sums` sums over the index space `summed`, row-major, in the op's order; before `result`.
Values emit_sums(ProductArithmetic& product, const SumOrder& order, ValueSpan summed, size_t sums,
                 const Factors& factors, Emission& emission);

/// The same by steps 0 .. count - 1 of the chain, each of one element of `order`'s chunks.
Values emit_sum_steps(ProductArithmetic& product, const SumOrder& order, Value count, size_t sums,
                      const std::function<Values(ValueSpan, const Coordinate&)>& step,
                      Emission& emission);

} // namespace kolam::lower::cpu
