// A scan whose states are lists that may have other lengths at each step.
#include "kolam/transform/lists/convert.h"
#include "kolam/transform/lists/loop.h"
#include "kolam/transform/lists/store.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"

namespace kolam::transform::lists {
namespace {

/// The values that a loop carries, and which of them may change their leading extent.
struct CarriedValues {
  Values values;
  std::vector<bool> is_late;

  void add(Value value, bool late) {
    values.push_back(value);
    is_late.push_back(late);
  }
};

/// A list of a frame as a loop carries it: the lengths of each level, then the leaves.
void add_list(CarriedValues& carried, const FlatList& list, Frames& frames) {
  for (size_t level = 0; level < list.levels.size(); ++level)
    carried.add(list.levels[level]->lengths, level > 0);
  carried.add(frames.leaves_of(list), true);
}

/// The list that carried values from `*next` on hold.
FlatList take_list(Values::const_iterator& next, size_t depth, const Frame* frame, Frames& frames) {
  FlatList list{frame, {}, {}, {}};
  Extent parents = frame->count;
  for (size_t level = 0; level < depth; ++level) {
    Value lengths = language::with_shape(frames.b, *next++, {parents});
    list.levels.push_back(frames.make_level(lengths, parents));
    parents = list.levels.back()->count;
  }
  Shape shape = ir::shape_of(*next);
  shape[0] = parents;
  list.leaves = language::with_shape(frames.b, *next++, shape);
  return list;
}

} // namespace

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
      carried.add(stores[state]->first(), false);
    }
  }
  // Behind the states what each step leaves: of lists the rows of all steps so far, and for each
  // step how many are its own and where they begin.
  auto has_history = [&](size_t state) { return !op.getResult(states + state).use_empty(); };
  for (size_t state = 0; state < states; ++state) {
    if (!has_history(state))
      continue;
    if (depths[state] > 1)
      throw Refusal{"a list of all states whose own lists of lists change their lengths"};
    if (stores[state]) {
      histories[state].emplace(frames, scan.level, stores[state]->get(stores[state]->first()),
                               frame);
      carried.add(histories[state]->first(), false);
      continue;
    }
    auto type = llvm::cast<ir::ListType>(op.getInits()[state].getType());
    Shape shape = ir::shape_of(type.leaf());
    shape.insert(shape.begin(), Extent(0));
    carried.add(zeros(b, ir::dtype_of(type.leaf()), shape), true);
    carried.add(integers.fill(scan.level->count, 0), false);
    carried.add(integers.fill(scan.level->count, 0), false);
  }

  auto turn = [&](Value t, const Values& old) {
    auto next = old.begin();
    FlatValues current;
    for (size_t state = 0; state < states; ++state)
      if (stores[state])
        current.push_back(stores[state]->get(*next++));
      else
        current.push_back(take_list(next, depths[state], frame, frames));
    Step step = convert_step(scan, t, current);
    CarriedValues result;
    std::vector<FlatList> lists(states); // the new ones of the part
    auto own = old.begin();
    for (size_t state = 0; state < states; ++state) {
      if (stores[state]) {
        result.add(step.part == frame ? stores[state]->put(step.yields[state])
                                      : stores[state]->put(*own, step.yields[state], step.part),
                   false);
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
    for (size_t state = 0; state < states; ++state) {
      if (!has_history(state))
        continue;
      if (histories[state]) {
        result.add(histories[state]->put(*own++, step.yields[state], step.elements, step.part),
                   false);
        continue;
      }
      const Level& level = *lists[state].levels[0];
      Value rows = *own++, lengths = *own++, starts = *own++;
      Value before = integers.extent(ir::shape_of(rows)[0]);
      result.add(language::concat(b, {rows, frames.leaves_of(lists[state])}, 0), true);
      result.add(integers.put(lengths, level.lengths, step.elements), false);
      result.add(integers.put(starts, integers.add(frames.starts_of(level), before), step.elements),
                 false);
    }
    return result.values;
  };
  Values last = resizing_loop(integers, integers.constant(0), turns_of(scan), carried.values,
                              carried.is_late, turn);
  auto next = last.cbegin();
  for (size_t state = 0; state < states; ++state)
    values.insert_or_assign(op.getResult(state),
                            stores[state]
                                ? stores[state]->get(*next++)
                                : FlatValue(take_list(next, depths[state], frame, frames)));
  for (size_t state = 0; state < states; ++state) {
    if (!has_history(state))
      continue;
    Value result = op.getResult(states + state);
    if (histories[state]) {
      values.insert_or_assign(result, histories[state]->get(*next++));
      continue;
    }
    Value rows = *next++, lengths = *next++, starts = *next++;
    LevelRef inner = frames.make_level(lengths, scan.level->count);
    Value places = integers.add(
        integers.take(integers.subtract(starts, frames.starts_of(*inner)), inner->owners),
        integers.iota(inner->count));
    values.insert_or_assign(result, FlatList{frame, {scan.level, inner}, rows, places});
  }
}

} // namespace kolam::transform::lists
