// Keeps states of many instances in the values that a loop carries.
#include "kolam/transform/lists/loop_states.h"

#include "kolam/language/elementwise.h"

namespace kolam::transform::lists {
namespace {

/// The lists of the instances of `part`, and of the others as they were.
FlatList replaced(Frames& frames, const FlatList& old, const FlatList& changed, const Frame* part) {
  Integers& integers = frames.integers;
  const Frame* frame = old.frame;
  const Level &before = *old.levels[0], &after = *changed.levels[0];
  Value zero = integers.constant(0), count = integers.iota(frame->count);
  Value place =
      integers.put(integers.fill(frame->count, -1), integers.iota(part->count), part->parents);
  Value is_changed = integers.apply(Fn::greater_equal, place, zero);
  place = integers.apply(Fn::maximum, place, zero);
  auto choose = [&](Value x, Value y) {
    return language::elementwise(frames.b, Fn::where, {is_changed, x, y});
  };
  LevelRef level = frames.make_level(
      choose(integers.take(frames.padded(after.lengths), place), before.lengths), frame->count);
  Value start =
      choose(integers.take(frames.padded(after.offsets), place),
             integers.add(integers.take(before.offsets, count), integers.extent(after.count)));
  start = integers.subtract(start, frames.starts_of(*level));
  FlatList both = frames.both_of(changed, FlatList{part, old.levels, old.leaves, old.places});
  Value places = integers.add(integers.take(start, level->owners), integers.iota(level->count));
  return frames.select(both, level, places, frame);
}

} // namespace

LoopStates::LoopStates(Frames& frames, const FlatValues& inits, const Frame* frame, Lengths lengths)
    : frames_(frames), frame_(frame), stores_(inits.size()), depths_(inits.size()) {
  for (auto [state, init] : llvm::enumerate(inits)) {
    auto* list = std::get_if<FlatList>(&init);
    if (list && lengths == Lengths::change) {
      depths_[state] = list->levels.size();
      add_list(first_, frames.bring(*list, frame), frames);
    } else {
      stores_[state].emplace(frames, init, frame);
      first_.add(stores_[state]->first(), Carry::fixed);
    }
  }
}

FlatValues LoopStates::get(Values::const_iterator& next) const {
  FlatValues states;
  for (auto [state, store] : llvm::enumerate(stores_))
    states.push_back(
        store ? store->get(*next++)
              : FlatValue(take_list(next, depths_[state], frame_->count, frame_, frames_)));
  return states;
}

CarriedValues LoopStates::put(const FlatValues& old, const FlatValues& states,
                              const Frame* part) const {
  CarriedValues next;
  for (auto [state, store] : llvm::enumerate(stores_)) {
    if (store) {
      next.add(part == frame_ ? store->put(states[state])
                              : store->put(store->carried(old[state]), states[state], part),
               Carry::fixed);
      continue;
    }
    FlatList changed = frames_.bring(std::get<FlatList>(states[state]), part);
    add_list(next,
             part == frame_ ? changed
                            : replaced(frames_, std::get<FlatList>(old[state]), changed, part),
             frames_);
  }
  return next;
}

} // namespace kolam::transform::lists
