// Nests of scans as cells, run in waves of cells that are independent.
#include "kolam/transform/lists.h"
#include "kolam/transform/lists/convert.h"
#include "kolam/transform/lists/loop.h"
#include "kolam/transform/lists/nest.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/language/sort.h"

namespace kolam::transform::lists {
namespace {

/// An argument of the cell that is carried.
struct Predecessor {
  unsigned argument;
  CarriedArgument carried;
  Value places; ///< i64 [cells in order of waves]: its row in the states of that result
};

/// `waves i0 + i2 of the nest scan i0, map i1, scan i2`.
std::string order_text(const ScanNest& nest) {
  std::string sum, dims;
  for (size_t level = 0; level < nest.levels.size(); ++level) {
    std::string dim = "i" + std::to_string(level);
    ir::ListScanOp scan = nest.scan(level);
    dims += (level ? ", " : "") + std::string(scan ? "scan " : "map ") + dim;
    if (scan)
      sum += (sum.empty() ? "" : " + ") + dim + (scan.getReverse() ? " from the end" : "");
  }
  return "waves " + sum + " of the nest " + dims +
         ": the cells of a wave, of all instances, at once";
}

bool depends_on(mlir::Operation& op, const llvm::DenseSet<Value>& values) {
  return llvm::any_of(op.getOperands(), [&](Value value) { return values.contains(value); });
}

/// Cheaper to compute where it is used than to keep for all cells.
bool is_cheap(mlir::Operation& op) {
  return llvm::isa<ir::BitcastOp, ir::BroadcastOp, ir::CastOp, ir::ElementwiseOp, ir::ExpandDimsOp,
                   ir::ReshapeOp, ir::ReverseOp, ir::SliceOp, ir::SqueezeOp, ir::TransposeOp>(op);
}

/// The ops of a cell that each wave converts: those that depend on states (`carried`, to which
/// their results are added), and cheap ones of each cell's own that only they use. The others are
/// computed before the waves, for all cells at once.
llvm::DenseSet<mlir::Operation*> of_waves(mlir::Block& cell, llvm::DenseSet<Value>& carried,
                                          const Environment& values) {
  llvm::DenseSet<Value> own;
  for (mlir::BlockArgument argument : cell.getArguments())
    if (!frame_of(values.find(argument)->second)->is_single)
      own.insert(argument);
  llvm::DenseSet<mlir::Operation*> result;
  for (mlir::Operation& op : cell.without_terminator()) {
    if (depends_on(op, own))
      own.insert(op.result_begin(), op.result_end());
    if (!depends_on(op, carried))
      continue;
    carried.insert(op.result_begin(), op.result_end());
    result.insert(&op);
  }
  for (mlir::Operation& op : llvm::reverse(cell.without_terminator())) {
    auto is_inside = [&](mlir::Operation* user) {
      return user == cell.getTerminator() || result.contains(user);
    };
    if (is_cheap(op) && depends_on(op, own) && llvm::all_of(op.getUsers(), is_inside))
      result.insert(&op);
  }
  return result;
}

} // namespace

/// The frames of a nest: for each level the instances of its body, as if it were a map.
struct Conversion::NestFrames {
  const Frame* outer;
  std::vector<const Frame*> elements; ///< by level; the last one's instances are the cells
  std::vector<LevelRef> levels;       ///< the structure of each
  std::vector<Environment> values;    ///< of the bodies, by level
  std::vector<FlatList> lists;        ///< of the last level, in the order of its op

  mlir::Block* cell;

  const Frame* cells() const { return elements.back(); }
};

/// Converts all of a nest but its cell. Carried lists stand as their initial values, which have
/// their lengths, and whose elements are what cells without a step before read.
Conversion::NestFrames Conversion::nest_frames(const ScanNest& nest, const Frame* outer,
                                               std::vector<FlatList> lists, FlatValues inits,
                                               FlatValues captures) {
  NestFrames result{outer, {}, {}, {}, {}, &nest.cell()};
  const Frame* at = outer;
  for (size_t level = 0; level < nest.levels.size(); ++level) {
    const Frame* inner = frames.elements_frame(lists[0]);
    result.elements.push_back(inner);
    result.levels.push_back(lists[0].levels[0]);
    FlatValues arguments = inits;
    for (const FlatList& list : lists)
      arguments.push_back(frames.elements(list, inner));
    arguments.insert(arguments.end(), captures.begin(), captures.end());
    mlir::Block& block = nest.levels[level]->getRegion(0).front();
    Environment& values = result.values.emplace_back();
    for (auto [argument, given] : llvm::zip(block.getArguments(), arguments))
      values.try_emplace(argument, given);
    if (level + 1 == nest.levels.size()) {
      result.lists = lists;
      break;
    }
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
    lists = brought(zipped(of_lists, values), at);
  }
  return result;
}

/// For each element of a level's frame the number of its first cell.
Value Conversion::first_cells(const NestFrames& nest, size_t level) {
  Value first = integers.iota(nest.elements[level]->count);
  for (size_t inner = level + 1; inner < nest.levels.size(); ++inner)
    first = integers.take(nest.levels[inner]->offsets, first);
  return first;
}

/// For each cell: how many steps of the scan of a level come before its own, whether there are any,
/// and the number of the cell one step before.
struct Conversion::Steps {
  Value before, is_first, cell;
};

/// What a carried argument is for cells without a step before: rows of a tensor, for each cell.
struct Conversion::Boundary {
  Value rows;   ///< [m, leaf...]
  Value places; ///< i64 [cells]
};

Conversion::Boundary Conversion::boundary_of(const NestFrames& in, unsigned argument,
                                             unsigned states) {
  if (argument >= states) {
    const FlatList& list = in.lists[argument - states];
    return {list.leaves, frames.places_of(list)};
  }
  mlir::Block& cell = *in.cell;
  const auto& init =
      std::get<FlatTensor>(in.values.back().find(cell.getArgument(argument))->second);
  if (init.frame->is_single)
    return {language::expand_dims(b, init.value, {0}), integers.fill(in.cells()->count, 0)};
  return {init.value, frames.path(in.cells(), init.frame)};
}

/// The result of scan state `state` behind the last step: a list, or a tensor where the scan is the
/// only level. `init` is in the outer frame.
FlatValue Conversion::last_state(const ScanNest& nest, const NestFrames& in, Value states,
                                 Value rank, const FlatValue& init) {
  const Level& steps = *in.levels[0];
  Value zero = integers.constant(0), one = integers.constant(1);
  Value has_steps = integers.apply(Fn::greater, steps.lengths, zero);
  Value element = frames.starts_of(steps);
  if (!nest.scan(0).getReverse())
    element = integers.add(element, integers.subtract(steps.lengths, one));
  element = language::elementwise(b, Fn::where, {has_steps, element, zero});
  Value first = integers.take(frames.padded(first_cells(in, 0)), element);

  auto* list = std::get_if<FlatList>(&init);
  Value instance = integers.iota(in.outer->count), inside = integers.fill(in.outer->count, 0);
  Value initial =
      list ? frames.leaves_of(*list) : frames.each(std::get<FlatTensor>(init), in.outer);
  if (list) {
    Value start = instance;
    instance = list->levels.back()->owners;
    for (size_t depth = list->levels.size() - 1; depth-- > 0;)
      instance = integers.take(list->levels[depth]->owners, instance);
    for (const LevelRef& level : list->levels)
      start = integers.take(level->offsets, start);
    inside = integers.subtract(integers.iota(list->levels.back()->count),
                               integers.take(start, instance));
  }
  Value mask = integers.take(has_steps, instance);
  Value cell = language::elementwise(
      b, Fn::where, {mask, integers.add(integers.take(first, instance), inside), zero});
  Value rows = integers.take(states, integers.take(frames.padded(rank), cell));
  Shape shape(ir::shape_of(initial).size(), Extent(1));
  shape[0] = ir::shape_of(initial)[0];
  Value value =
      language::elementwise(b, Fn::where, {language::reshape(b, mask, shape), rows, initial});
  if (list)
    return FlatList{in.outer, list->levels, value, {}};
  return FlatTensor{in.outer, value};
}

Conversion::Steps Conversion::steps_of(const ScanNest& nest, const NestFrames& in, size_t level) {
  const Level& steps = *in.levels[level];
  Value element = frames.path(in.cells(), in.elements[level]);
  Value owner = integers.take(steps.owners, element);
  Value t = integers.subtract(element, integers.take(steps.offsets, owner));
  bool is_reversed = nest.scan(level).getReverse();
  Value one = integers.constant(1), zero = integers.constant(0);
  if (is_reversed)
    t = integers.subtract(integers.subtract(integers.take(steps.lengths, owner), one), t);
  Value is_first = integers.apply(Fn::equal, t, zero);
  Value first = first_cells(in, level);
  Value behind = integers.subtract(integers.iota(in.cells()->count), integers.take(first, element));
  Value neighbour = integers.add(element, integers.constant(is_reversed ? 1 : -1));
  // Where there is no step before, any place inside will do.
  neighbour = language::elementwise(b, Fn::where, {is_first, element, neighbour});
  return {t, is_first, integers.add(integers.take(first, neighbour), behind)};
}

void Conversion::convert_nest(ir::ListScanOp op, const std::vector<FlatList>& given,
                              const FlatValues& inits, const FlatValues& captures,
                              const Frame* frame, Environment& values) {
  std::optional<ScanNest> nest = find_nest(op);
  if (!nest)
    throw Refusal{"its state goes other ways than from element to element"};
  if (frame->is_single && nest->levels.size() == 1)
    throw Refusal{"one list has one element a step"};
  for (size_t level = 0; level < nest->levels.size(); ++level)
    if (order != kWaves && nest->has_weights_of(level))
      throw Refusal{"each element brings weights of its own, of which a wave would read all"};
  const Frame* outer = frame->is_single ? frames.make(frame, 1, integers.fill(1, 0)) : frame;
  NestFrames in = nest_frames(*nest, outer, brought(given, outer), inits, captures);
  const Extent& count = in.cells()->count;
  Value zero = integers.constant(0), one = integers.constant(1);

  // Cells of one number are independent: each scan goes on by one step.
  Value wave = integers.fill(count, 0);
  std::map<size_t, Steps> steps;
  for (size_t level = 0; level < nest->levels.size(); ++level)
    if (nest->scan(level)) {
      steps[level] = steps_of(*nest, in, level);
      wave = integers.add(wave, steps[level].before);
    }
  Value order = language::cast(b, language::sort(b, wave, 0, false).indices, DType::i64);
  Value rank = integers.put(integers.fill(count, 0), integers.iota(count), order);
  Value waves = integers.largest(integers.add(wave, one));
  Extent wave_count = integers.bind(waves);
  Value wave_offsets = integers.running_sum(integers.count(wave, wave_count));
  const Frame* sorted = frames.make(in.cells(), count, order);

  // What the cell reads that is not carried, in the order of waves; what it computes of that alone.
  mlir::Block& cell = nest->cell();
  Environment known = in.values.back();
  llvm::DenseSet<Value> carried_values;
  for (mlir::BlockArgument argument : cell.getArguments()) {
    FlatValue& value = known.find(argument)->second;
    if (nest->carried.contains(argument))
      carried_values.insert(argument);
    else if (std::holds_alternative<FlatTensor>(value) && frame_of(value) == in.cells())
      value = frames.bring(value, sorted);
  }
  llvm::DenseSet<mlir::Operation*> in_waves = of_waves(cell, carried_values, known);
  for (mlir::Operation& op : cell.without_terminator())
    if (!in_waves.contains(&op))
      convert(&op, sorted, known);

  // The states of each result: where only the steps read them, one for each instance. Else of all
  // cells in the order of waves, a row that nobody reads (there may be no cells), then those that
  // scans start from.
  mlir::OperandRange yields = cell.getTerminator()->getOperands();
  std::vector<Values> parts;
  Shape rows;
  std::vector<bool> is_kept; // for all cells
  const size_t scans = op.getInits().size();
  for (auto [number, value] : llvm::enumerate(yields)) {
    is_kept.push_back(nest->levels.size() > 1 || !op.getResult(scans + number).use_empty());
    rows.push_back(count + Extent(1));
    if (!is_kept.back()) {
      FlatValue init = frames.bring(inits[number], outer);
      parts.push_back({frames.each(std::get<FlatTensor>(init), outer)});
      continue;
    }
    Shape shape = ir::shape_of(value);
    shape.insert(shape.begin(), rows.back());
    parts.push_back({zeros(b, ir::dtype_of(value), shape)});
  }
  Value instances = frames.path(sorted, outer);
  auto innermost_scan = llvm::dyn_cast<ir::ListScanOp>(nest->levels.back());
  unsigned own_states = innermost_scan ? innermost_scan.getInits().size() : 0;
  std::vector<Predecessor> predecessors;
  for (mlir::BlockArgument argument : cell.getArguments()) {
    auto found = nest->carried.find(argument);
    if (found == nest->carried.end() || argument.use_empty())
      continue;
    unsigned result = found->second.result;
    if (!is_kept[result]) {
      predecessors.push_back({argument.getArgNumber(), found->second, instances});
      continue;
    }
    const Steps& step = steps.at(found->second.level);
    Boundary boundary = boundary_of(in, argument.getArgNumber(), own_states);
    Value place = language::elementwise(
        b, Fn::where,
        {step.is_first, integers.add(boundary.places, integers.extent(rows[result])),
         integers.take(rank, step.cell)});
    predecessors.push_back({argument.getArgNumber(), found->second, integers.take(place, order)});
    parts[result].push_back(boundary.rows);
    rows[result] = rows[result] + ir::shape_of(boundary.rows)[0];
  }
  Values states;
  for (const Values& part : parts)
    states.push_back(part.size() == 1 ? part[0] : language::concat(b, part, 0));

  states = loop(integers, zero, waves, states, [&](Value number, const Values& old) {
    Value begin = integers.row(wave_offsets, number);
    Value end = integers.row(wave_offsets, integers.add(number, one));
    const Frame* part = frames.window(sorted, integers.bind(integers.subtract(end, begin)), begin);
    Environment local = known;
    for (const Predecessor& predecessor : predecessors) {
      Value places = frames.each({sorted, predecessor.places}, part);
      local.insert_or_assign(
          cell.getArgument(predecessor.argument),
          FlatTensor{part, integers.take(old[predecessor.carried.result], places)});
    }
    for (mlir::Operation& op : cell.without_terminator())
      if (in_waves.contains(&op))
        convert(&op, part, local);
    Values next;
    for (auto [result, value] : llvm::enumerate(yields)) {
      Value rows = frames.each(tensor(value, local), part);
      next.push_back(is_kept[result]
                         ? frames.put_window(old[result], rows, begin)
                         : integers.put(old[result], rows, frames.each({sorted, instances}, part)));
    }
    return next;
  });

  for (size_t state = 0; state < scans; ++state) {
    unsigned result = nest->carried.at(op.getBody().getArgument(state)).result;
    if (!is_kept[result]) {
      FlatValue last = FlatTensor{outer, states[result]};
      values.insert_or_assign(op.getResult(state), frame == outer ? last : unwrapped(last, frame));
      continue;
    }
    values.insert_or_assign(op.getResult(scans + state),
                            FlatList{frame, in.levels, states[result], rank});
    if (op.getResult(state).use_empty())
      continue;
    FlatValue init = frames.bring(inits[state], outer);
    FlatValue last = last_state(*nest, in, states[result], rank, init);
    values.insert_or_assign(op.getResult(state), frame == outer ? last : unwrapped(last, frame));
  }
  note(op, order_text(*nest));
}

} // namespace kolam::transform::lists
