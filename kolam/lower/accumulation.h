/// Emitting the combination of a sequence of elements in the order that `Accumulate` says.
#pragma once

#include "kolam/lower/emission.h"
#include "kolam/support/accumulate.h"

namespace kolam::lower {

/// The code that combines elements. A state is one register value per entry of `dtypes`.
struct Combiner {
  std::vector<DType> dtypes;
  /// The state of element i alone; i counts over all segments.
  std::function<Values(const Coordinate& i)> first;
  /// The state with element i added.
  std::function<Values(ValueSpan state, const Coordinate& i)> step;
  std::function<Values(ValueSpan a, ValueSpan b)> merge;
  /// What no elements give.
  std::function<Values()> empty;
  /// The state of `count` elements from `start` on, in place of a walk over the lanes; may be
  /// missing.
  std::function<Values(Value start, Value count)> chunk;
};

/// Combines elements 0 .. segments * length - 1, where each run of `length` elements starts new
/// chunks: the twin of interp/accumulation.h.
Values emit_accumulation(const Accumulate& order, Value segments, Value length,
                         const Combiner& combiner, Emission& emission);

} // namespace kolam::lower
