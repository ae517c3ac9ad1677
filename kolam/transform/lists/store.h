/// States of many instances, in tensors that a loop can carry.
#pragma once

#include "kolam/transform/lists/frames.h"

namespace kolam::transform::lists {

/// The lengths of a state may change from step to step.
struct LengthsChange {};

/// A state for each instance of a frame: a tensor, or a list whose lengths stay as they are. Throws
/// LengthsChange where that can't be seen.
class Store {
public:
  /// Of states like `value`, which is brought to `frame`.
  Store(Frames& frames, const FlatValue& value, const Frame* frame);

  /// What the loop starts from.
  Value first() const { return first_; }
  /// The states that a carried tensor holds, and the tensor of what get gave.
  FlatValue get(Value carried) const;
  static Value carried(const FlatValue& states);
  /// New states of all instances.
  Value put(const FlatValue& states) const;
  /// New states of the instances of `part`, a frame in this one's.
  Value put(Value carried, const FlatValue& states, const Frame* part) const;

private:
  /// The leaves of a list, whose lengths are those of `levels`.
  Value leaves_of(const FlatList& list, llvm::ArrayRef<LevelRef> levels) const;

  Frames& frames_;
  const Frame* frame_;
  std::vector<LevelRef> levels_; ///< of a list
  Value first_;
};

/// The states after all steps: a list for each instance of a frame.
class History {
public:
  /// `level` says how many steps each instance of `frame` takes; states are like `state`.
  History(Frames& frames, const LevelRef& level, const FlatValue& state, const Frame* frame);

  /// A tensor for all, without values.
  Value first() const { return first_; }
  /// With the states of instances of `part` (or of all) at the step that has number `elements` in
  /// the level's numbering: i64, one for each.
  Value put(Value carried, const FlatValue& states, Value elements, const Frame* part) const;
  FlatList get(Value carried) const { return {frame_, levels_, carried, {}}; }

private:
  Frames& frames_;
  const Frame* frame_;
  std::vector<LevelRef> levels_;
  Value first_;
};

} // namespace kolam::transform::lists
