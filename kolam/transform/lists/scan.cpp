// kolam.list_scan as a loop over its steps.
#include "kolam/transform/lists.h"
#include "kolam/transform/lists/convert.h"
#include "kolam/transform/lists/loop.h"
#include "kolam/transform/lists/store.h"

#include "kolam/language/elementwise.h"

namespace kolam::transform::lists {
/// What a scan carries from step to step.
struct Conversion::Carried {
  std::vector<Store> states;
  std::vector<std::optional<History>> histories; ///< of states whose lists somebody reads

  Values first() const {
    Values values;
    for (const Store& state : states)
      values.push_back(state.first());
    for (const auto& history : histories)
      if (history)
        values.push_back(history->first());
    return values;
  }
  FlatValues get(const Values& carried) const {
    FlatValues values;
    for (auto [number, state] : llvm::enumerate(states))
      values.push_back(state.get(carried[number]));
    return values;
  }
};

Conversion::Carried Conversion::carried(ir::ListScanOp op, const FlatValues& inits,
                                        const LevelRef& level, const Frame* frame) {
  Carried result;
  for (auto [number, init] : llvm::enumerate(inits)) {
    result.states.emplace_back(frames, init, frame);
    const Store& store = result.states.back();
    result.histories.emplace_back();
    if (!op.getResult(inits.size() + number).use_empty())
      result.histories.back().emplace(frames, level, store.get(store.first()), frame);
  }
  return result;
}

/// The values that a step leaves to the next: `yields` of the instances of `part`, whose step has
/// number `elements`.
Values Conversion::next(const Carried& carried, const Values& old, const FlatValues& yields,
                        Value elements, const Frame* part, const Frame* frame) {
  Values values;
  for (auto [number, store] : llvm::enumerate(carried.states))
    values.push_back(part == frame ? store.put(yields[number])
                                   : store.put(old[number], yields[number], part));
  size_t at = carried.states.size();
  for (auto [number, history] : llvm::enumerate(carried.histories))
    if (history) {
      values.push_back(history->put(old[at], yields[number], elements, part));
      ++at;
    }
  return values;
}

bool Conversion::try_nest(ir::ListScanOp op, const std::vector<FlatList>& lists,
                          const FlatValues& inits, const FlatValues& captures, const Frame* frame,
                          Environment& values) {
  if (order == kSequential) {
    note(op, "step by step: the order is sequential");
    return false;
  }
  Attempt attempt(*this);
  try {
    convert_nest(op, lists, inits, captures, frame, values);
    return true;
  } catch (const Refusal& refusal) {
    attempt.undo();
    note(op, "step by step: " + refusal.why);
    return false;
  }
}

void Conversion::convert_op(ir::ListScanOp op, const Frame*, Environment& values) {
  FlatValues inits = get(op.getInits(), values), captures = get(op.getCaptures(), values);
  std::vector<FlatList> lists = zipped(op.getLists(), values);
  const Frame* at =
      Frames::inner(lists[0].frame, Frames::inner(innermost(inits), innermost(captures)));
  bool is_shared = lists[0].frame->is_single;
  if (is_shared && !at->is_single && order != kWaves)
    note(op, "step by step: all instances go over one list");
  else if (!is_shared && try_one_pass(op, lists, inits, captures, at, values))
    return;
  else if (try_one_by_one(op, lists, inits, captures, at, values))
    return;
  else if (try_nest(op, lists, inits, captures, at, values))
    return;
  LevelRef level;
  if (is_shared) {
    level = frames.bring(lists[0], at).levels[0];
  } else {
    lists = brought(std::move(lists), at);
    level = lists[0].levels[0];
  }
  Scan scan{op, at, level, std::move(lists), captures, is_shared};
  Attempt attempt(*this);
  try {
    run_steps(scan, inits, values);
  } catch (const LengthsChange&) {
    attempt.undo();
    auto all_states = op.getResults().drop_front(inits.size());
    note(op, std::string("its state is allocated at each step, as its lengths may change") +
                 (llvm::all_of(all_states, [](Value value) { return value.use_empty(); })
                      ? ""
                      : "; what it leaves goes behind that of the steps before, in memory that "
                        "doubles"));
    run_resizing_steps(scan, inits, values);
  }
}

Value Conversion::turns_of(const Scan& scan) {
  return scan.is_shared ? integers.as_scalar(scan.lists[0].levels[0]->lengths)
                        : integers.largest(scan.level->lengths);
}

/// What the body gives at turn t of the states.
Conversion::Step Conversion::convert_step(const Scan& scan, Value t, const FlatValues& states) {
  // Turn t of lists of these lengths is at element t, or counted from their ends.
  auto element_at = [&](Value lengths) {
    return scan.op.getReverse() ? integers.from_end(lengths, t) : t;
  };
  Step step{scan.frame, {}, {}};
  FlatValues arguments = states;
  if (scan.is_shared) {
    Value place =
        integers.as_vector(element_at(integers.as_scalar(scan.lists[0].levels[0]->lengths)));
    for (const FlatList& list : scan.lists)
      arguments.push_back(element(list, place, list.frame));
    step.elements = integers.add(frames.starts_of(*scan.level), place);
  } else {
    Integers::Places active =
        integers.where(integers.apply(Fn::greater, scan.level->lengths, t), scan.frame->count);
    step.part = frames.make(scan.frame, active.count, active.places);
    Value lengths = integers.take(scan.level->lengths, active.places);
    step.elements =
        integers.add(integers.take(scan.level->offsets, active.places), element_at(lengths));
    for (const FlatList& list : scan.lists)
      arguments.push_back(element(list, step.elements, step.part));
  }
  arguments.insert(arguments.end(), scan.captures.begin(), scan.captures.end());
  step.yields = convert_block(scan.op.getBody().front(), arguments, step.part);
  return step;
}

void Conversion::run_steps(const Scan& scan, const FlatValues& inits, Environment& values) {
  Carried state = carried(scan.op, inits, scan.level, scan.frame);
  Values last = loop(integers, integers.constant(0), turns_of(scan), state.first(),
                     [&](Value t, const Values& old) {
                       auto inside = frames.inside();
                       Step step = convert_step(scan, t, state.get(old));
                       return next(state, old, step.yields, step.elements, step.part, scan.frame);
                     });
  size_t states = inits.size(), number = states;
  for (size_t i = 0; i < states; ++i) {
    values.insert_or_assign(scan.op.getResult(i), state.states[i].get(last[i]));
    if (state.histories[i])
      values.insert_or_assign(scan.op.getResult(states + i),
                              state.histories[i]->get(last[number++]));
  }
}

FlatValue Conversion::element(const FlatList& list, Value places, const Frame* frame) {
  if (list.levels.size() > 1)
    return frames.bring(
        FlatList{nullptr, {list.levels.begin() + 1, list.levels.end()}, list.leaves, list.places},
        frame, places);
  if (list.places)
    places = integers.take(list.places, places);
  return FlatTensor{frame, frame->is_single ? integers.row(list.leaves, integers.as_scalar(places))
                                            : integers.take(list.leaves, places)};
}

} // namespace kolam::transform::lists
