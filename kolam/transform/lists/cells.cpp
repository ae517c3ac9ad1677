// Nests of scans as cells, run in waves of cells that are independent.
#include "kolam/transform/lists.h"
#include "kolam/transform/lists/convert.h"
#include "kolam/transform/lists/loop.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/reshape.h"

namespace kolam::transform::lists {
namespace {

/// How many functions on lists an op stands in: its own dims have numbers from there on.
size_t dims_around(mlir::Operation* op) {
  size_t count = 0;
  while ((op = op->getParentOp()))
    count += ir::facts_of(op).bodies == ir::Bodies::of_lists ? 1 : 0;
  return count;
}

/// `waves i0 + i2 of the nest scan i0, map i1, scan i2, in closed form`; dims are those of the
/// block graph.
std::string order_text(const ScanNest& nest, bool is_closed, bool is_asked) {
  std::string sum, dims;
  const size_t first = dims_around(nest.levels[0]);
  for (size_t level = 0; level < nest.levels.size(); ++level) {
    std::string dim = "i" + std::to_string(first + level);
    ir::ListScanOp scan = nest.scan(level);
    dims += (level ? ", " : "") + std::string(scan ? "scan " : "map ") + dim;
    if (scan)
      sum += (sum.empty() ? "" : " + ") + dim + (scan.getReverse() ? " from the end" : "");
  }
  return "waves " + sum + " of the nest " + dims +
         (is_closed ? ", in closed form" : ", sorted by an inspector") +
         ": the cells of a wave, of all instances, at once, " +
         (is_asked ? "as is asked for" : "as no element brings weights of its own");
}

bool depends_on(mlir::Operation& op, const llvm::DenseSet<Value>& values) {
  return llvm::any_of(op.getOperands(), [&](Value value) { return values.contains(value); });
}

/// Cheaper to compute where it is used than to keep for all cells.
bool is_cheap(mlir::Operation& op) { return ir::facts_of(&op).again == ir::Again::cheap; }

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

FlatValue Conversion::with_rows(FlatValue value, Value rows) {
  if (auto* tensor = std::get_if<FlatTensor>(&value))
    tensor->value = rows;
  else
    std::get<FlatList>(value).leaves = rows;
  return value;
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

/// What waves carry from one to the next.
struct Conversion::WaveStates {
  /// Rows of a tensor.
  struct Rows {
    unsigned result; ///< of the cell
    Value first;     ///< what the waves start from
    /// The argument whose rows cells change in place; none where each cell has a row of its own.
    std::optional<unsigned> argument;
  };
  /// An argument of the cell that is carried.
  struct Predecessor {
    unsigned argument;
    size_t rows;  ///< which
    size_t level; ///< of the scan that carries it
    Extent first; ///< the row where what the scan starts from begins
  };
  std::vector<Rows> rows;
  std::vector<Predecessor> predecessors;
  std::map<unsigned, size_t> of_result; ///< rows of all cells, by result of the cell
  std::map<StateKey, size_t> of_state;  ///< rows that are changed in place

  Values first() const {
    Values values;
    for (const Rows& each : rows)
      values.push_back(each.first);
    return values;
  }
};

/// Observed states are those of all cells in the order of waves, a row that nobody reads (there may
/// be no cells), then those that scans start from.
Conversion::WaveStates Conversion::wave_states(const NestFrames& in,
                                               const std::set<StateKey>& in_place,
                                               const std::set<unsigned>& observed) {
  mlir::OperandRange yields = in.cell().getTerminator()->getOperands();
  WaveStates states;
  std::map<unsigned, Values> starts; // by observed result
  for (unsigned result : observed) {
    states.of_result[result] = states.rows.size();
    states.rows.push_back({result, {}, {}});
  }
  auto rows_of = [](const Values& tensors) {
    Extent rows = 0;
    for (Value each : tensors)
      rows = rows + ir::shape_of(each)[0];
    return rows;
  };
  const Extent computed = in.cells()->count + Extent(1);
  for (mlir::BlockArgument argument : in.cell().getArguments()) {
    auto found = in.nest->carried.find(argument);
    if (found == in.nest->carried.end())
      continue;
    auto [level, state, result] = found->second;
    unsigned number = argument.getArgNumber();
    if (in_place.contains({level, state})) {
      auto [at, is_new] = states.of_state.try_emplace({level, state}, states.rows.size());
      if (is_new)
        states.rows.push_back({result, initial_rows(in, number), number});
      states.predecessors.push_back({number, at->second, level, 0});
    } else if (!argument.use_empty()) {
      states.predecessors.push_back(
          {number, states.of_result.at(result), level, computed + rows_of(starts[result])});
      starts[result].push_back(initial_rows(in, number));
    }
  }
  for (unsigned result : observed) {
    Shape shape = ir::shape_of(yields[result]);
    shape.insert(shape.begin(), computed + rows_of(starts[result]));
    Value rows = empty(b, ir::dtype_of(yields[result]), shape);
    Extent begin = computed;
    for (Value start : starts[result]) {
      rows = frames.put_window(rows, start, integers.extent(begin));
      begin = begin + ir::shape_of(start)[0];
    }
    states.rows[states.of_result[result]].first = rows;
  }
  return states;
}

/// For each tensor of rows, where cells change them in place, i64 [cells], the row of each; null
/// elsewhere.
Values Conversion::changed_rows(const NestFrames& in, const WaveStates& states,
                                const OrderedCells& cells) {
  Values result;
  for (const WaveStates::Rows& each : states.rows)
    result.push_back(each.argument ? initial_places(in, *each.argument, cells) : Value());
  return result;
}

/// For each carried argument, i64 [cells], its row.
Values Conversion::rows_before(const NestFrames& in, const WaveStates& states,
                               const OrderedCells& cells) {
  Values result;
  for (const WaveStates::Predecessor& each : states.predecessors) {
    if (std::optional<unsigned> argument = states.rows[each.rows].argument) {
      result.push_back(initial_places(in, *argument, cells));
      continue;
    }
    Value is_first = integers.apply(Fn::equal, cells.steps.at(each.level), integers.constant(0));
    Value initial =
        integers.add(initial_places(in, each.argument, cells), integers.extent(each.first));
    result.push_back(
        language::elementwise(b, Fn::where, {is_first, initial, cells.before.at(each.level)}));
  }
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
  std::optional<CellOrder> closed = rectangle_order(in, frames);
  const bool is_closed = closed.has_value();
  CellOrder cells = is_closed ? std::move(*closed) : sorted_order(in, frames);
  const Frame* all = cells.all.frame;

  // What the cell reads that is not carried; what it computes of that alone.
  mlir::Block& cell = nest->cell();
  Environment known = in.values.back();
  if (!cells.wave)
    read_elements(in, cells.all, known);
  llvm::DenseSet<Value> carried_values;
  for (mlir::BlockArgument argument : cell.getArguments())
    if (nest->carried.contains(argument))
      carried_values.insert(argument);
  llvm::DenseSet<mlir::Operation*> in_waves = of_waves(cell, carried_values, known);
  for (mlir::Operation& op : cell.without_terminator())
    if (!in_waves.contains(&op))
      convert(&op, all, known);

  WaveStates states = wave_states(in, in_place, observed);
  Values changed_of_all, before_of_all;
  if (!cells.wave) {
    changed_of_all = changed_rows(in, states, cells.all);
    before_of_all = rows_before(in, states, cells.all);
  }
  Value zero = integers.constant(0), one = integers.constant(1);
  auto turn = [&](Value number, const Values& old) {
    Value begin = integers.row(cells.offsets, number);
    Value end = integers.row(cells.offsets, integers.add(number, one));
    Extent size = integers.bind(integers.subtract(end, begin));
    Environment local = known;
    const Frame* part;
    Values changed, before;
    if (cells.wave) {
      OrderedCells here = cells.wave(number, size);
      part = here.frame;
      read_elements(in, here, local);
      changed = changed_rows(in, states, here);
      before = rows_before(in, states, here);
    } else {
      part = frames.window(all, size, begin);
      auto in_part = [&](Value of_all) {
        return of_all ? frames.each({all, of_all}, part) : Value();
      };
      llvm::transform(changed_of_all, std::back_inserter(changed), in_part);
      llvm::transform(before_of_all, std::back_inserter(before), in_part);
    }
    for (auto [each, places] : llvm::zip(states.predecessors, before))
      local.insert_or_assign(cell.getArgument(each.argument),
                             FlatTensor{part, integers.take(old[each.rows], places)});
    for (mlir::Operation& op : cell.without_terminator())
      if (in_waves.contains(&op))
        convert(&op, part, local);
    Values next;
    mlir::OperandRange yields = cell.getTerminator()->getOperands();
    for (auto [each, value, places] : llvm::zip(states.rows, old, changed)) {
      Value rows = frames.each(tensor(yields[each.result], local), part);
      next.push_back(places ? integers.put(value, rows, places)
                            : frames.put_window(value, rows, begin));
    }
    return next;
  };
  Values last = loop(integers, zero, cells.waves, states.first(), turn);

  for (unsigned state = 0; state < scans; ++state) {
    if (auto at = states.of_result.find(result_of(state)); at != states.of_result.end())
      values.insert_or_assign(op.getResult(scans + state),
                              FlatList{frame, in.levels, last[at->second], cells.numbers});
    if (auto at = states.of_state.find({0, state}); at != states.of_state.end()) {
      FlatValue value = with_rows(in.inits.at({0, state}), last[at->second]);
      values.insert_or_assign(op.getResult(state),
                              frame == outer ? value : unwrapped(value, frame));
    }
  }
  note(op, order_text(*nest, is_closed, order == kWaves));
}

} // namespace kolam::transform::lists
