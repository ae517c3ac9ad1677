/// Scatters of single elements: places by vectors, then element after element.
#pragma once

#include "kolam/lower/cpu/emission.h"

namespace kolam::lower::cpu {

/// The next state of an element: combine(state, update).
using Combine = std::function<Value(Value state, Value update)>;

/// Combines the updates of a scatter (nest/scattered_elements.h) into its result, which holds the
/// destination already.
class ScatteredElements {
public:
  ScatteredElements(ir::ScatterOp op, int lanes, Combine combine, Emission& emission);

  /// Before the first update, and behind the last.
  void begin();
  void end();
  /// The updates first .. last - 1 of a row, in turn.
  void emit_row(IndexSpan outer, Value first, Value last);

private:
  /// The places of updates from `first` on, and the updates, in scratch memory; an update that is
  /// the same for all lanes.
  Value emit_places(IndexSpan outer, Value first, int lanes);
  void emit_update(Value lane, int64_t table, Value same);

  ir::ScatterOp op_;
  Emission& e_;
  const int lanes_;
  Combine combine_;
  DType dtype_;        ///< of the elements
  Values shape_;       ///< of the result
  Value count_;        ///< of its elements
  DType places_dtype_; ///< of places in scratch memory
  int64_t tables_;
  Value places_, updates_, memory_;
};

} // namespace kolam::lower::cpu
