/// Scatters of single elements: places by vectors, then element after element.
#pragma once

#include "kolam/lower/cpu/emission.h"

namespace kolam::lower::cpu {

/// The next states of the elements at one place: combine(states, updates).
using Combine = std::function<Values(const Values& states, const Values& updates)>;

/// Combines the updates of a scatter (nest/scattered_elements.h) into its results, which hold the
/// destinations already.
class ScatteredElements {
public:
  ScatteredElements(ir::ScatterOp op, int lanes, Combine combine, Emission& emission);

  /// The updates first .. last - 1 of a row, in turn.
  void emit_row(IndexSpan outer, Value first, Value last);

private:
  /// Size of code, and a bound of scratch memory: updates whose places are computed before any of
  /// them acts.
  static constexpr int64_t kBlock = 256, kUnrolled = 8;

  /// Of one update or of lanes; `outside`, of the results or of this call's part of them, is null
  /// where none can lie there.
  struct Placed {
    Value place, outside;
  };
  /// Computes places and updates first .. first + lanes - 1 of a row, for `at` of scratch memory.
  /// Whether some lie outside.
  Value emit_places(IndexSpan outer, Value first, Value at, int lanes);
  Placed emit_place(IndexSpan batch);
  /// The same where places are i32 and so are the indices, which then need no wider arithmetic.
  Placed emit_narrow_place(IndexSpan batch);
  /// Lets the update act that is number `at` of a block.
  void emit_update(IndexSpan outer, Value begin, Value at);
  /// The same where it may lie outside.
  void emit_update_if_inside(IndexSpan outer, Value begin, Value at);
  Value is_inside(Value place);
  Value update_at(size_t number, IndexSpan outer, Value begin, Value at);
  Value update_of(size_t number, IndexSpan outer, Value from);
  Value load_number(Value numbers, DType dtype, Value at);
  /// The place of an update, -1 where it lies outside of the results.
  Value place_of(Value at);
  /// Adds to those outside what lies in another call's part.
  Placed within_part(Placed placed);

  ir::ScatterOp op_;
  Emission& e_;
  const int lanes_;
  Combine combine_;
  Values shape_;       ///< of each result
  bool drops_;         ///< updates outside; else they go to the nearest element
  Value first_, last_; ///< places of this call's part, where calls share the results; else null
  DType places_dtype_; ///< of places in scratch memory
  Value places_;
  /// The updates of a destination in scratch memory, where they differ from one another.
  struct Kept {
    DType dtype;
    Value memory;
    Value
        nowhere; ///< memory for what lies outside, several elements, so that none waits for another
    bool is_used = false;
  };
  llvm::SmallVector<Kept> updates_; ///< by destination
};

} // namespace kolam::lower::cpu
