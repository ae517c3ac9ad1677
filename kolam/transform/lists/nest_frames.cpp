// The levels of a nest, and what its cells read in them.
#include "kolam/transform/lists/nest_frames.h"

#include "kolam/language/reshape.h"
#include "kolam/transform/lists/convert.h"

namespace kolam::transform::lists {

Cells cells_of(const NestFrames& in, const Frame* frame, Frames& frames) {
  Integers& integers = frames.integers;
  Cells result{frame, {}, {}};
  for (auto [level, structure] : llvm::enumerate(in.levels)) {
    Value list = frames.path(frame, level ? in.elements[level - 1] : in.outer);
    Value element = frames.path(frame, in.elements[level]);
    Value start = integers.take(structure->offsets, list);
    Value place = integers.subtract(element, start);
    frames.know_elements(structure, element, list, start);
    result.places.push_back(place);
    if (ir::ListScanOp scan = in.nest->scan(level))
      result.steps[level] = scan.getReverse()
                                ? integers.from_end(integers.take(structure->lengths, list), place)
                                : place;
  }
  return result;
}

/// Converts all of a nest but its cell. Carried lists stand as their initial values, which have
/// their lengths, and whose elements are what cells without a step before read.
NestFrames Conversion::nest_frames(const ScanNest& nest, const std::set<StateKey>& in_place,
                                   const Frame* outer, std::vector<FlatList> lists,
                                   FlatValues inits, FlatValues captures) {
  NestFrames result{&nest, outer, {}, {}, {}, {}, lists, {}};
  auto is_outside = [&](const FlatList& list) { return Frames::inner(outer, list.frame) == outer; };
  const Frame* at = outer;
  for (size_t level = 0; level < nest.levels.size(); ++level) {
    for (unsigned state = 0; state < inits.size(); ++state)
      if (in_place.contains({level, state})) {
        inits[state] = own_rows(inits[state], at);
        result.inits.insert({{level, state}, inits[state]});
      }
    const Frame* inner = frames.elements_frame(lists[0]);
    result.elements.push_back(inner);
    result.levels.push_back(lists[0].levels[0]);
    auto same = llvm::find_if(result.lists, is_outside);
    result.sizes.push_back(
        same == result.lists.end()
            ? Value()
            : integers.take(same->levels[0]->lengths, frames.path(outer, same->frame)));
    FlatValues arguments = inits;
    for (const FlatList& list : lists)
      arguments.push_back(frames.elements(list, inner));
    arguments.insert(arguments.end(), captures.begin(), captures.end());
    mlir::Block& block = nest.levels[level]->getRegion(0).front();
    Environment& values = result.values.emplace_back();
    for (auto [argument, given] : llvm::zip(block.getArguments(), arguments))
      values.try_emplace(argument, given);
    if (level + 1 == nest.levels.size())
      break;
    mlir::Operation* core = nest.levels[level + 1];
    for (mlir::Operation& op : block.without_terminator())
      if (&op != core)
        convert(&op, inner, values);
    at = inner;
    mlir::OperandRange of_lists = core->getOperands(), of_captures = of_lists;
    if (auto scan = llvm::dyn_cast<ir::ListScanOp>(core)) {
      inits = get(scan.getInits(), values);
      of_lists = scan.getLists();
      of_captures = scan.getCaptures();
    } else {
      auto map = llvm::cast<ir::ListMapOp>(core);
      inits = {};
      of_lists = map.getLists();
      of_captures = map.getCaptures();
    }
    captures = get(of_captures, values);
    result.lists.clear();
    for (Value list : of_lists)
      result.lists.push_back(this->list(list, values));
    lists = brought(zipped(of_lists, values), at);
  }
  return result;
}

/// The value with rows of its own for each instance of a frame.
FlatValue Conversion::own_rows(const FlatValue& value, const Frame* frame) {
  if (auto* tensor = std::get_if<FlatTensor>(&value))
    return FlatTensor{frame, frames.each(*tensor, frame)};
  FlatList list = frames.bring(std::get<FlatList>(value), frame);
  return FlatList{frame, list.levels, frames.leaves_of(list), {}};
}

/// The row of leaves of the element of a list that each cell has.
Value Conversion::rows_of(const FlatList& list, const Cells& cells) {
  const Level& level = *list.levels[0];
  Value number = cells.places.back();
  if (level.parents != Extent(1)) {
    Value of = frames.path(cells.frame, list.frame), start = integers.take(level.offsets, of);
    number = integers.add(start, number);
    frames.know_elements(list.levels[0], number, of, start);
  }
  return list.places ? integers.take(list.places, number) : number;
}

/// The tensors among the elements that cells are given, but for those that are carried.
void Conversion::read_elements(const NestFrames& in, const Cells& cells, Environment& values) {
  unsigned states = in.states();
  for (auto [number, list] : llvm::enumerate(in.lists)) {
    Value argument = in.cell().getArgument(states + static_cast<unsigned>(number));
    if (list.levels.size() == 1 && !in.nest->carried.contains(argument))
      values.insert_or_assign(
          argument, FlatTensor{cells.frame, integers.take(list.leaves, rows_of(list, cells))});
  }
}

/// What a carried argument is for cells without a step before: rows of a tensor [m, leaf...].
Value Conversion::initial_rows(const NestFrames& in, unsigned argument) {
  if (argument >= in.states())
    return in.lists[argument - in.states()].leaves;
  const auto& init = std::get<FlatTensor>(in.init(argument));
  return init.frame->is_single ? language::expand_dims(b, init.value, {0}) : init.value;
}

/// Which of these rows, i64 [cells].
Value Conversion::initial_places(const NestFrames& in, unsigned argument, const Cells& cells) {
  if (argument >= in.states())
    return rows_of(in.lists[argument - in.states()], cells);
  const Frame* frame = frame_of(in.init(argument));
  return frame->is_single ? integers.fill(cells.frame->count, 0) : frames.path(cells.frame, frame);
}

} // namespace kolam::transform::lists
