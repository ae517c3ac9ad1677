/// Emitting the combination of a sequence of elements in the order that `Accumulate` says.
#pragma once

#include "kolam/lower/cpu/emission.h"
#include "kolam/support/accumulate.h"

namespace kolam::lower::cpu {

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
  /// A state that leaves every other as it is when merged with it, bit by bit; may be missing.
  std::function<Values()> neutral;
  /// The state of `count` elements from `start` on, in place of a walk over the lanes; may be
  /// missing.
  std::function<Values(Value start, Value count)> chunk;
  /// The same in a segment, where i counts from its start: what lies in rows there is read by
  /// vectors. Missing where there is one segment only.
  std::function<Combiner(Value segment)> in_segment;
  /// Elements that follow one another are read by squares of as many as there are lanes.
  bool by_squares = false;
  /// Elements may be combined in any order: segments then share the states of their lanes.
  bool in_any_order = false;
  /// Mostly the elements are one chunk: that has code of its own.
  bool fits_chunk = false;
  /// An element more is computed sooner than it is asked whether there is one.
  bool costs_little = false;
  /// Memory for `chunk_slots` states of vectors of all lanes, all of one dtype; null for memory on
  /// the stack.
  Value slots = nullptr;
};

/// The place of a chunk in the tree over all chunks, which ChunkTree (support/accumulate.h) builds
/// like a binary counter: slot l holds the merged states of 2^l chunks. In order there is one slot.
struct ChunkPlace {
  ChunkPlace(Value number, Value chunks, bool in_order, Emission& emission);

  Value merged; ///< bit l: slot l merges in front of the chunk's state, the lowest first
  Value waits;  ///< whether the merged state then waits for later chunks, in `slot`
  Value slot;

  /// state = merge(slot, state) for all slots that merge in front of the chunk's.
  Values merge(ValueSpan state, llvm::function_ref<Values(Value slot, ValueSpan state)> merge,
               Emission& emission) const;
};
/// How many slots the tree over so many chunks needs.
Value chunk_slots(Value chunks, bool in_order, Emission& emission);
/// Of `length` >= 0 elements.
Value chunks_of(Value length, const Accumulate& order, Emission& emission);

/// Combines elements 0 .. segments * length - 1, where each run of `length` elements starts new
/// chunks: the twin of interp/accumulation.h.
Values emit_accumulation(const Accumulate& order, Value segments, Value length,
                         const Combiner& combiner, Emission& emission);

} // namespace kolam::lower::cpu
