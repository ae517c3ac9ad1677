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

/// States that the waves carry, as rows of a tensor.
struct States {
  unsigned result; ///< of the cell
  Values parts;    ///< of the tensor that the waves start from
  Value places;    ///< i64 [cells in order of waves]: the rows that cells change; null: their own
};

/// An argument of the cell that is carried.
struct Predecessor {
  unsigned argument;
  size_t states; ///< which
  Value places;  ///< i64 [cells in order of waves]: its row there
};

/// `waves i0 + i2 of the nest scan i0, map i1, scan i2`.
std::string order_text(const ScanNest& nest, bool is_asked) {
  std::string sum, dims;
  for (size_t level = 0; level < nest.levels.size(); ++level) {
    std::string dim = "i" + std::to_string(level);
    ir::ListScanOp scan = nest.scan(level);
    dims += (level ? ", " : "") + std::string(scan ? "scan " : "map ") + dim;
    if (scan)
      sum += (sum.empty() ? "" : " + ") + dim + (scan.getReverse() ? " from the end" : "");
  }
  return "waves " + sum + " of the nest " + dims +
         ": the cells of a wave, of all instances, at once, " +
         (is_asked ? "as is asked for" : "as no element brings weights of its own");
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
  /// What states that are changed in place start from, each instance of their level with rows of
  /// its own.
  std::map<StateKey, FlatValue> inits;

  mlir::Block* cell;

  const Frame* cells() const { return elements.back(); }
};

/// Converts all of a nest but its cell. Carried lists stand as their initial values, which have
/// their lengths, and whose elements are what cells without a step before read.
Conversion::NestFrames Conversion::nest_frames(const ScanNest& nest,
                                               const std::set<StateKey>& in_place,
                                               const Frame* outer, std::vector<FlatList> lists,
                                               FlatValues inits, FlatValues captures) {
  NestFrames result{outer, {}, {}, {}, {}, {}, &nest.cell()};
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

/// The value with rows of its own for each instance of a frame.
FlatValue Conversion::own_rows(const FlatValue& value, const Frame* frame) {
  if (auto* tensor = std::get_if<FlatTensor>(&value))
    return FlatTensor{frame, frames.each(*tensor, frame)};
  FlatList list = frames.bring(std::get<FlatList>(value), frame);
  return FlatList{frame, list.levels, frames.leaves_of(list), {}};
}

/// The same with other rows.
static FlatValue with_rows(FlatValue value, Value rows) {
  if (auto* tensor = std::get_if<FlatTensor>(&value))
    tensor->value = rows;
  else
    std::get<FlatList>(value).leaves = rows;
  return value;
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

/// Of which states the cells change the last ones in place, as rows for each place of the other
/// levels: where nobody reads the states of all cells, and where somebody reads the last.
static std::set<StateKey> changed_in_place(const ScanNest& nest, ir::ListScanOp op,
                                           const std::set<unsigned>& observed) {
  std::set<StateKey> result;
  for (mlir::BlockArgument argument : nest.cell().getArguments()) {
    auto found = nest.carried.find(argument);
    if (found == nest.carried.end())
      continue;
    auto [level, state, number] = found->second;
    bool is_read = level == 0 && !op.getResult(state).use_empty();
    if (is_read || (!argument.use_empty() && !observed.contains(number)))
      result.insert({level, state});
  }
  for (unsigned state = 0; state < op.getInits().size(); ++state)
    if (!op.getResult(state).use_empty() && !result.contains({0, state}))
      throw Refusal{"its cells are given no element of a state, which may change its lengths"};
  return result;
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

  const unsigned scans = op.getInits().size();
  auto result_of = [&](unsigned state) {
    return nest->carried.at(op.getBody().getArgument(state)).result;
  };
  std::set<unsigned> observed; // results of the cell of which somebody reads all states
  for (unsigned state = 0; state < scans; ++state)
    if (!op.getResult(scans + state).use_empty())
      observed.insert(result_of(state));
  std::set<StateKey> in_place = changed_in_place(*nest, op, observed);
  const Frame* outer = frame->is_single ? frames.make(frame, 1, integers.fill(1, 0)) : frame;
  NestFrames in = nest_frames(*nest, in_place, outer, brought(given, outer), inits, captures);
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
  // Cells of a wave that share weights are neighbours.
  Value key = wave;
  for (const auto& [level, step] : steps)
    if (nest->has_weights_of(level)) {
      Value count_of_steps = integers.add(integers.largest(step.before), one);
      key = integers.add(integers.apply(Fn::multiply, key, count_of_steps), step.before);
    }
  Value in_order = language::cast(b, language::sort(b, key, 0, false).indices, DType::i64);
  Value rank = integers.put(integers.fill(count, 0), integers.iota(count), in_order);
  Value waves = integers.largest(integers.add(wave, one));
  Extent wave_count = integers.bind(waves);
  Value wave_offsets = integers.running_sum(integers.count(wave, wave_count));
  const Frame* sorted = frames.make(in.cells(), count, in_order);

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

  // Observed states are those of all cells in the order of waves, a row that nobody reads (there
  // may be no cells), then those that scans start from.
  mlir::OperandRange yields = cell.getTerminator()->getOperands();
  std::vector<States> states;
  std::map<unsigned, size_t> of_result;
  std::map<unsigned, Extent> rows;
  for (unsigned result : observed) {
    Shape shape = ir::shape_of(yields[result]);
    shape.insert(shape.begin(), count + Extent(1));
    of_result[result] = states.size();
    rows[result] = shape[0];
    states.push_back({result, {zeros(b, ir::dtype_of(yields[result]), shape)}, {}});
  }
  auto innermost_scan = llvm::dyn_cast<ir::ListScanOp>(nest->levels.back());
  unsigned own_states = innermost_scan ? innermost_scan.getInits().size() : 0;
  std::map<StateKey, size_t> of_state;
  std::vector<Predecessor> predecessors;
  for (mlir::BlockArgument argument : cell.getArguments()) {
    auto found = nest->carried.find(argument);
    if (found == nest->carried.end())
      continue;
    auto [level, state, result] = found->second;
    if (in_place.contains({level, state})) {
      auto [at, is_new] = of_state.try_emplace({level, state}, states.size());
      if (is_new) {
        Boundary boundary = boundary_of(in, argument.getArgNumber(), own_states);
        states.push_back({result, {boundary.rows}, integers.take(boundary.places, in_order)});
      }
      predecessors.push_back({argument.getArgNumber(), at->second, states[at->second].places});
    } else if (!argument.use_empty()) {
      const Steps& step = steps.at(level);
      Boundary boundary = boundary_of(in, argument.getArgNumber(), own_states);
      Value place = language::elementwise(
          b, Fn::where,
          {step.is_first, integers.add(boundary.places, integers.extent(rows[result])),
           integers.take(rank, step.cell)});
      size_t at = of_result.at(result);
      predecessors.push_back({argument.getArgNumber(), at, integers.take(place, in_order)});
      states[at].parts.push_back(boundary.rows);
      rows[result] = rows[result] + ir::shape_of(boundary.rows)[0];
    }
  }
  Values first;
  for (const States& each : states)
    first.push_back(each.parts.size() == 1 ? each.parts[0] : language::concat(b, each.parts, 0));

  Values last = loop(integers, zero, waves, first, [&](Value number, const Values& old) {
    Value begin = integers.row(wave_offsets, number);
    Value end = integers.row(wave_offsets, integers.add(number, one));
    const Frame* part = frames.window(sorted, integers.bind(integers.subtract(end, begin)), begin);
    Environment local = known;
    for (const Predecessor& predecessor : predecessors) {
      Value places = frames.each({sorted, predecessor.places}, part);
      local.insert_or_assign(cell.getArgument(predecessor.argument),
                             FlatTensor{part, integers.take(old[predecessor.states], places)});
    }
    for (mlir::Operation& op : cell.without_terminator())
      if (in_waves.contains(&op))
        convert(&op, part, local);
    Values next;
    for (auto [each, value] : llvm::zip(states, old)) {
      Value rows = frames.each(tensor(yields[each.result], local), part);
      next.push_back(each.places
                         ? integers.put(value, rows, frames.each({sorted, each.places}, part))
                         : frames.put_window(value, rows, begin));
    }
    return next;
  });

  for (unsigned state = 0; state < scans; ++state) {
    if (auto at = of_result.find(result_of(state)); at != of_result.end())
      values.insert_or_assign(op.getResult(scans + state),
                              FlatList{frame, in.levels, last[at->second], rank});
    if (auto at = of_state.find({0, state}); at != of_state.end()) {
      FlatValue value = with_rows(in.inits.at({0, state}), last[at->second]);
      values.insert_or_assign(op.getResult(state),
                              frame == outer ? value : unwrapped(value, frame));
    }
  }
  note(op, order_text(*nest, order == kWaves));
}

} // namespace kolam::transform::lists
