// Nests of scans whose cells are numbers, one cell after the other: loops that carry the numbers of
// the innermost scan and change rows of the others in memory (ir/element_loop.h).
#include "kolam/ir/element_loop.h"
#include "kolam/ir/pointwise.h"
#include "kolam/transform/lists.h"
#include "kolam/transform/lists/convert.h"
#include "kolam/transform/lists/loop.h"

namespace kolam::transform::lists {
namespace {

/// Assumed: operations of a cell that take as long as it takes to find its place in a wave. Of
/// more, lanes of many cells are quicker.
constexpr double kMostFlops = 64;

std::string why_not_one_by_one(const ScanNest& nest) {
  if (nest.levels.size() < 2)
    return "one scan alone";
  for (size_t level = 0; level < nest.levels.size(); ++level)
    if (!nest.scan(level))
      return "a map gives elements to lanes";
  double flops = 0;
  auto is_number = [](Value value) {
    return llvm::isa<mlir::RankedTensorType>(value.getType()) && ir::rank_of(value) == 0;
  };
  for (mlir::Operation& op : nest.cell().without_terminator()) {
    auto signed_op = llvm::dyn_cast<ir::SignedOp>(op);
    if (!signed_op || op.getNumRegions() > 0 || signed_op.facts().effect != ir::Effect::none ||
        !llvm::all_of(op.getResults(), is_number) || !llvm::all_of(op.getOperands(), is_number))
      return "a cell is more than numbers";
    flops += ir::flops_per_point(&op);
  }
  return !llvm::all_of(nest.cell().getTerminator()->getOperands(), is_number)
             ? "a cell is more than numbers"
         : flops > kMostFlops ? "a cell is long"
                              : "";
}

} // namespace

/// A nest as it is walked through.
struct Conversion::CellWalk {
  /// A state of which a row is kept for each place of the levels inside its own.
  struct Rows {
    StateKey key;
    unsigned result;   ///< of the cell
    unsigned argument; ///< of the cell, which says which row
    Value first;
  };
  const ScanNest& nest;
  NestFrames in;
  std::vector<Rows> rows;
  std::vector<std::pair<unsigned, size_t>> read; ///< arguments of the cell, each with its rows
  std::vector<unsigned> numbers;                 ///< arguments that the innermost scan carries
  std::vector<unsigned> observed;                ///< results of the cell that are stored for all
  Frame::Paths paths = {};
  std::vector<Value> places = {};

  bool is_last(size_t level) const { return level + 1 == nest.levels.size(); }
};

/// Each list of a level, given by its number, after what it takes to be in its place.
Values Conversion::walk_level(CellWalk& walk, size_t level, Value list, const Values& states) {
  const LevelRef& structure = walk.in.levels[level];
  Value size = integers.row(structure->lengths, list);
  Value start = integers.row(structure->offsets, list);
  Values carried = states;
  if (walk.is_last(level)) {
    const Frame* outer = level ? walk.in.elements[level - 1] : walk.in.outer;
    const Frame* here = frames.make(outer, 1, integers.as_vector(list), false, walk.paths);
    for (unsigned argument : walk.numbers)
      carried.push_back(frames.each(std::get<FlatTensor>(walk.in.init(argument)), here));
  }
  Values left =
      loop(integers, integers.constant(0), size, carried, [&](Value t, const Values& old) {
        auto inside = frames.inside();
        Value place = walk.nest.scan(level).getReverse() ? integers.from_end(size, t) : t;
        Value element = integers.as_vector(integers.add(start, place));
        frames.know_elements(structure, element, integers.as_vector(list),
                             integers.as_vector(start));
        auto outer = std::pair(walk.paths, walk.places);
        walk.paths[walk.in.elements[level]] = element;
        walk.places.push_back(integers.as_vector(place));
        Values next = walk.is_last(level)
                          ? walk_cell(walk, element, old)
                          : walk_level(walk, level + 1, integers.as_scalar(element), old);
        std::tie(walk.paths, walk.places) = outer;
        return next;
      });
  left.resize(states.size());
  return left;
}

/// The next states: rows, what is stored for all, numbers.
Values Conversion::walk_cell(CellWalk& walk, Value element, const Values& old) {
  Cells here{frames.make(walk.in.cells(), 1, element, false, walk.paths), walk.places, {}};
  Environment local = walk.in.values.back();
  read_elements(walk.in, here, local);
  mlir::Block& cell = walk.nest.cell();
  Values places;
  for (const CellWalk::Rows& rows : walk.rows)
    places.push_back(initial_places(walk.in, rows.argument, here));
  for (auto [argument, rows] : walk.read)
    local.insert_or_assign(cell.getArgument(argument),
                           FlatTensor{here.frame, integers.take(old[rows], places[rows])});
  const size_t numbers = old.size() - walk.numbers.size();
  for (auto [argument, value] : llvm::zip(walk.numbers, llvm::ArrayRef(old).drop_front(numbers)))
    local.insert_or_assign(cell.getArgument(argument), FlatTensor{here.frame, value});
  for (mlir::Operation& op : cell.without_terminator())
    convert(&op, here.frame, local);
  mlir::OperandRange yields = cell.getTerminator()->getOperands();
  auto given = [&](unsigned result) {
    return frames.each(tensor(yields[result], local), here.frame);
  };
  Values next;
  for (auto [rows, place] : llvm::zip(walk.rows, places))
    next.push_back(
        frames.put_window(old[next.size()], given(rows.result), integers.as_scalar(place)));
  for (unsigned result : walk.observed)
    next.push_back(frames.put_window(old[next.size()], given(result), integers.as_scalar(element)));
  for (unsigned argument : walk.numbers)
    next.push_back(given(walk.nest.carried.at(cell.getArgument(argument)).result));
  return next;
}

/// The states that somebody reads, in the order of `CellWalk`.
void Conversion::take_states(CellWalk& walk, ir::ListScanOp op) {
  const size_t scans = op.getInits().size(), last = walk.nest.levels.size() - 1;
  for (mlir::BlockArgument argument : walk.nest.cell().getArguments()) {
    auto found = walk.nest.carried.find(argument);
    if (found == walk.nest.carried.end())
      continue;
    auto [level, state, result] = found->second;
    const unsigned number = argument.getArgNumber();
    const StateKey key{level, state};
    if (level == last) {
      if (!argument.use_empty())
        walk.numbers.push_back(number);
      continue;
    }
    if (!walk.in.inits.contains(key))
      continue;
    auto same = llvm::find_if(walk.rows, [&](const auto& rows) { return rows.key == key; });
    if (same == walk.rows.end())
      same = walk.rows.insert(same, {key, result, number, initial_rows(walk.in, number)});
    if (!argument.use_empty())
      walk.read.emplace_back(number, same - walk.rows.begin());
  }
  for (unsigned state = 0; state < scans; ++state) {
    if (!op.getResult(scans + state).use_empty())
      walk.observed.push_back(walk.nest.carried.at(op.getBody().getArgument(state)).result);
    if (!op.getResult(state).use_empty() && !walk.in.inits.contains({0, state}))
      throw Refusal{"its cells are given no element of a state"};
  }
}

void Conversion::walk_nest(ir::ListScanOp op, const ScanNest& nest,
                           const std::vector<FlatList>& given, const FlatValues& inits,
                           const FlatValues& captures, const Frame* frame, Environment& values) {
  const size_t scans = op.getInits().size(), last = nest.levels.size() - 1;
  std::set<StateKey> in_rows;
  for (mlir::BlockArgument argument : nest.cell().getArguments())
    if (auto found = nest.carried.find(argument);
        found != nest.carried.end() && found->second.level < last)
      in_rows.insert({found->second.level, found->second.state});
  const Frame* outer = frame->is_single ? frames.make(frame, 1, integers.fill(1, 0)) : frame;
  CellWalk walk{nest, nest_frames(nest, in_rows, outer, brought(given, outer), inits, captures),
                {},   {},
                {},   {}};
  take_states(walk, op);
  Values first;
  for (const CellWalk::Rows& rows : walk.rows)
    first.push_back(rows.first);
  for (unsigned result : walk.observed) {
    Value like = nest.cell().getTerminator()->getOperand(result);
    first.push_back(empty(b, ir::dtype_of(like), {walk.in.cells()->count}));
  }
  auto instance = [&](Value number, const Values& old) {
    walk.paths = {{walk.in.outer, integers.as_vector(number)}};
    return walk_level(walk, 0, number, old);
  };
  Values left = outer->count == Extent(1)
                    ? instance(integers.constant(0), first)
                    : independent_loop(integers, integers.constant(0),
                                       integers.extent(outer->count), first, instance);
  for (auto [number, rows] : llvm::enumerate(walk.rows))
    if (rows.key.first == 0) {
      FlatValue value = with_rows(walk.in.inits.at(rows.key), left[number]);
      values.insert_or_assign(op.getResult(rows.key.second),
                              frame == outer ? value : unwrapped(value, frame));
    }
  size_t number = walk.rows.size();
  for (unsigned state = 0; state < scans; ++state)
    if (!op.getResult(static_cast<unsigned>(scans) + state).use_empty())
      values.insert_or_assign(op.getResult(static_cast<unsigned>(scans) + state),
                              FlatList{frame, walk.in.levels, left[number++], {}});
}

bool Conversion::try_one_by_one(ir::ListScanOp op, const std::vector<FlatList>& lists,
                                const FlatValues& inits, const FlatValues& captures,
                                const Frame* frame, Environment& values) {
  if (!order.empty())
    return false;
  std::optional<ScanNest> nest = find_nest(op);
  if (!nest || !why_not_one_by_one(*nest).empty())
    return false;
  Attempt attempt(*this);
  try {
    walk_nest(op, *nest, lists, inits, captures, frame, values);
  } catch (const Refusal&) {
    attempt.undo();
    return false;
  }
  note(op, "one cell after the other, as a cell is a few operations on numbers");
  return true;
}

} // namespace kolam::transform::lists
