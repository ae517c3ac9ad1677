// A scan whose states are lists that may have other lengths at each step.
#include "kolam/transform/lists/convert.h"
#include "kolam/transform/lists/loop_states.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"

namespace kolam::transform::lists {

void Conversion::run_resizing_steps(const Scan& scan, const FlatValues& inits,
                                    Environment& values) {
  const Frame* frame = scan.frame;
  const size_t states = inits.size();
  ir::ListScanOp op = scan.op;
  std::vector<std::optional<History>> histories(states); // of tensors
  LoopStates own(frames, inits, frame, Lengths::change);
  CarriedValues carried = own.first();
  // Behind the states what each step leaves: of lists those of all steps so far, in the order of
  // the steps; and at the end which of these is that of each step.
  auto has_history = [&](size_t state) { return !op.getResult(states + state).use_empty(); };
  bool has_log = false;
  for (size_t state = 0; state < states; ++state) {
    if (!has_history(state))
      continue;
    if (std::holds_alternative<FlatTensor>(inits[state])) {
      histories[state].emplace(frames, scan.level, inits[state], frame);
      carried.add(histories[state]->first(), Carry::fixed);
      continue;
    }
    add_log(carried, llvm::cast<ir::ListType>(op.getInits()[state].getType()), frames);
    has_log = true;
  }
  if (has_log)
    carried.add(integers.fill(scan.level->count, 0), Carry::fixed);

  auto turn = [&](Value t, const Values& old) {
    auto inside = frames.inside();
    auto next = old.begin();
    FlatValues current = own.get(next);
    Step step = convert_step(scan, t, current);
    for (FlatValue& yield : step.yields)
      if (auto* list = std::get_if<FlatList>(&yield))
        yield = frames.bring(*list, step.part);
    CarriedValues result = own.put(current, step.yields, step.part);
    Extent before = 0; // lists in each log
    for (size_t state = 0; state < states; ++state) {
      if (!has_history(state))
        continue;
      if (histories[state]) {
        result.add(histories[state]->put(*next++, step.yields[state], step.elements, step.part),
                   Carry::fixed);
        continue;
      }
      before = ir::shape_of(*next)[0];
      const auto& list = std::get<FlatList>(step.yields[state]);
      append_list(result, list, frames);
      next += static_cast<int64_t>(list.levels.size()) + 1;
    }
    if (has_log)
      result.add(integers.put(*next, integers.count_from(integers.extent(before), step.part->count),
                              step.elements),
                 Carry::fixed);
    return result.values;
  };
  Values last = resizing_loop(integers, integers.constant(0), turns_of(scan), carried.values,
                              carried.carries, turn);
  auto next = last.cbegin();
  for (auto [state, value] : llvm::enumerate(own.get(next)))
    values.insert_or_assign(op.getResult(state), value);
  const Frame* elements = frames.make(frame, scan.level->count, scan.level->owners);
  for (size_t state = 0; state < states; ++state) {
    if (!has_history(state))
      continue;
    Value result = op.getResult(states + state);
    if (histories[state]) {
      values.insert_or_assign(result, histories[state]->get(*next++));
      continue;
    }
    auto depth = std::get<FlatList>(inits[state]).levels.size();
    FlatList log = take_list(next, depth, ir::shape_of(*next)[0], nullptr, frames);
    values.insert_or_assign(
        result,
        frames.list_of(scan.level, frame, frames.bring(log, elements, last.back()), elements));
  }
}

} // namespace kolam::transform::lists
