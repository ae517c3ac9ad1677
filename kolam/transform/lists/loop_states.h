/// States of many instances that a loop carries, lists among them.
#pragma once

#include "kolam/transform/lists/carried.h"
#include "kolam/transform/lists/store.h"

namespace kolam::transform::lists {

/// Whether states keep their lengths from turn to turn.
enum class Lengths : uint8_t { stay, change };

/// Tensors, and lists whose lengths stay, are changed in place. Lists whose lengths may change are
/// given anew at each turn, those of all instances.
class LoopStates {
public:
  /// States of `frame` that start as `inits`.
  LoopStates(Frames& frames, const FlatValues& inits, const Frame* frame, Lengths lengths);

  /// What the loop starts from.
  const CarriedValues& first() const { return first_; }
  /// The states that carried values from `*next` on hold.
  FlatValues get(Values::const_iterator& next) const;
  FlatValues get(const Values& carried) const {
    auto next = carried.begin();
    return get(next);
  }
  /// What a turn leaves to the next: `old`, and `states` of the instances of `part`. Throws
  /// LengthsChange where lengths may not stay.
  CarriedValues put(const FlatValues& old, const FlatValues& states, const Frame* part) const;

private:
  Frames& frames_;
  const Frame* frame_;
  std::vector<std::optional<Store>> stores_; ///< of states that are changed in place
  std::vector<size_t> depths_;               ///< of the others
  CarriedValues first_;
};

} // namespace kolam::transform::lists
