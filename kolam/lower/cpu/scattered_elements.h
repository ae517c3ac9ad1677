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
  /// Size of code, and a bound of scratch memory: updates whose places are computed before any of
  /// them acts.
  static constexpr int64_t kBlock = 256, kUnrolled = 8;

  /// Of one update or of lanes; `outside` is null where none can lie there.
  struct Placed {
    Value place, outside;
  };
  /// Computes places and updates first .. first + lanes - 1 of a row, for `at` of scratch memory.
  /// Whether some lie outside.
  Value emit_places(IndexSpan outer, Value first, Value at, int lanes);
  Placed emit_place(IndexSpan batch);
  /// The same where places are i32 and so are the indices, which then need no wider arithmetic.
  Placed emit_narrow_place(IndexSpan batch);
  /// The numbers of updates with a place, into scratch memory; how many.
  Value emit_those_inside(Value count);
  /// Lets the update act that is number `at` of a block.
  void emit_update(IndexSpan outer, Value begin, Value at);
  Value update_of(IndexSpan outer, Value from);
  Value load_number(Value numbers, DType dtype, Value at);
  /// The place of an update, -1 where it lies outside.
  Value place_of(Value at);

  ir::ScatterOp op_;
  Emission& e_;
  const int lanes_;
  Combine combine_;
  DType dtype_;        ///< of the elements
  Values shape_;       ///< of the result
  bool drops_;         ///< updates outside; else they go to the nearest element
  DType places_dtype_; ///< of places in scratch memory
  Value places_, updates_, inside_;
  bool are_kept_ = false; ///< updates are in scratch memory, as they differ from one another
};

} // namespace kolam::lower::cpu
