// A scan whose states are lists that may have other lengths at each step.
#include "kolam/transform/lists/carried.h"
#include "kolam/transform/lists/convert.h"
#include "kolam/transform/lists/store.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"

namespace kolam::transform::lists {

/// The lists of the instances of `part`, and of the others as they were.
FlatList Conversion::replaced(const FlatList& old, const FlatList& changed, const Frame* part) {
  const Frame* frame = old.frame;
  const Level &before = *old.levels[0], &after = *changed.levels[0];
  Value zero = integers.constant(0), count = integers.iota(frame->count);
  Value place =
      integers.put(integers.fill(frame->count, -1), integers.iota(part->count), part->parents);
  Value is_changed = integers.apply(Fn::greater_equal, place, zero);
  place = integers.apply(Fn::maximum, place, zero);
  auto choose = [&](Value x, Value y) {
    return language::elementwise(b, Fn::where, {is_changed, x, y});
  };
  LevelRef level = frames.make_level(
      choose(integers.take(frames.padded(after.lengths), place), before.lengths), frame->count);
  Value start =
      choose(integers.take(frames.padded(after.offsets), place),
             integers.add(integers.take(before.offsets, count), integers.extent(after.count)));
  start = integers.subtract(start, frames.starts_of(*level));
  FlatList both = both_of(changed, FlatList{part, old.levels, old.leaves, old.places});
  Value places = integers.add(integers.take(start, level->owners), integers.iota(level->count));
  return frames.select(both, level, places, frame);
}

void Conversion::run_resizing_steps(const Scan& scan, const FlatValues& inits,
                                    Environment& values) {
  const Frame* frame = scan.frame;
  const size_t states = inits.size();
  ir::ListScanOp op = scan.op;
  std::vector<std::optional<Store>> stores(states); // of tensors
  std::vector<std::optional<History>> histories(states);
  std::vector<size_t> depths(states);
  CarriedValues carried;
  for (size_t state = 0; state < states; ++state) {
    FlatValue init = frames.bring(inits[state], frame);
    if (auto* list = std::get_if<FlatList>(&init)) {
      depths[state] = list->levels.size();
      add_list(carried, *list, frames);
    } else {
      stores[state].emplace(frames, init, frame);
      carried.add(stores[state]->first(), Carry::fixed);
    }
  }
  // Behind the states what each step leaves: of lists those of all steps so far, in the order of
  // the steps; and at the end which of these is that of each step.
  auto has_history = [&](size_t state) { return !op.getResult(states + state).use_empty(); };
  bool has_log = false;
  for (size_t state = 0; state < states; ++state) {
    if (!has_history(state))
      continue;
    if (stores[state]) {
      histories[state].emplace(frames, scan.level, stores[state]->get(stores[state]->first()),
                               frame);
      carried.add(histories[state]->first(), Carry::fixed);
      continue;
    }
    add_log(carried, llvm::cast<ir::ListType>(op.getInits()[state].getType()), frames);
    has_log = true;
  }
  if (has_log)
    carried.add(integers.fill(scan.level->count, 0), Carry::fixed);

  auto turn = [&](Value t, const Values& old) {
    auto next = old.begin();
    FlatValues current;
    for (size_t state = 0; state < states; ++state)
      if (stores[state])
        current.push_back(stores[state]->get(*next++));
      else
        current.push_back(take_list(next, depths[state], frame->count, frame, frames));
    Step step = convert_step(scan, t, current);
    CarriedValues result;
    std::vector<FlatList> lists(states); // the new ones of the part
    auto own = old.begin();
    for (size_t state = 0; state < states; ++state) {
      if (stores[state]) {
        result.add(step.part == frame ? stores[state]->put(step.yields[state])
                                      : stores[state]->put(*own, step.yields[state], step.part),
                   Carry::fixed);
        ++own;
        continue;
      }
      lists[state] = frames.bring(std::get<FlatList>(step.yields[state]), step.part);
      add_list(result,
               step.part == frame
                   ? lists[state]
                   : replaced(std::get<FlatList>(current[state]), lists[state], step.part),
               frames);
      own += static_cast<int64_t>(depths[state]) + 1;
    }
    Extent before = 0; // lists in each log
    for (size_t state = 0; state < states; ++state) {
      if (!has_history(state))
        continue;
      if (histories[state]) {
        result.add(histories[state]->put(*own++, step.yields[state], step.elements, step.part),
                   Carry::fixed);
        continue;
      }
      before = ir::shape_of(*own)[0];
      append_list(result, lists[state], frames);
      own += static_cast<int64_t>(depths[state]) + 1;
    }
    if (has_log)
      result.add(integers.put(*own, integers.count_from(integers.extent(before), step.part->count),
                              step.elements),
                 Carry::fixed);
    return result.values;
  };
  Values last = resizing_loop(integers, integers.constant(0), turns_of(scan), carried.values,
                              carried.carries, turn);
  auto next = last.cbegin();
  for (size_t state = 0; state < states; ++state)
    values.insert_or_assign(
        op.getResult(state),
        stores[state] ? stores[state]->get(*next++)
                      : FlatValue(take_list(next, depths[state], frame->count, frame, frames)));
  const Frame* elements = frames.make(frame, scan.level->count, scan.level->owners);
  for (size_t state = 0; state < states; ++state) {
    if (!has_history(state))
      continue;
    Value result = op.getResult(states + state);
    if (histories[state]) {
      values.insert_or_assign(result, histories[state]->get(*next++));
      continue;
    }
    FlatList log = take_list(next, depths[state], ir::shape_of(*next)[0], nullptr, frames);
    values.insert_or_assign(
        result,
        frames.list_of(scan.level, frame, frames.bring(log, elements, last.back()), elements));
  }
}

} // namespace kolam::transform::lists
