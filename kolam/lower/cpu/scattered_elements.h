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

  /// The updates first .. last - 1 of a row, in turn.
  void emit_row(IndexSpan outer, Value first, Value last);

private:
  /// Updates whose places are in scratch memory.
  struct Placed {
    Value update;  ///< the same for all; null where they are in scratch memory too
    Value outside; ///< whether some place lies outside
  };
  Placed emit_places(IndexSpan outer, Value first, int lanes);
  void emit_update(Value lane, const Placed& placed);
  void emit_update_inside(Value lane, const Placed& placed);
  /// The place of an update, -1 where it lies outside.
  Value place_of(Value lane);

  ir::ScatterOp op_;
  Emission& e_;
  const int lanes_;
  Combine combine_;
  DType dtype_;        ///< of the elements
  Values shape_;       ///< of the result
  DType places_dtype_; ///< of places in scratch memory
  Value places_, updates_;
};

} // namespace kolam::lower::cpu
