// Writes plans: pieces of stages, what they read and write, and what moves before.
#include "kolam/planner/tasks.h"

#include "kolam/ir/argument_names.h"
#include "kolam/ir/location.h"
#include "kolam/ir/types.h"
#include "kolam/plan/expand.h"
#include "kolam/planner/blocks.h"
#include "kolam/planner/congruent.h"
#include "kolam/planner/homes.h"
#include "kolam/planner/spread.h"
#include "kolam/space/issue.h"
#include "kolam/space/partition.h"
#include "kolam/space/projection_forms.h"
#include "kolam/space/region.h"

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <bit>
#include <map>

namespace kolam::planner {
namespace {

using mlir::Value;
using plans::Family;
using plans::Plan;
using space::Box;
using space::Point;

/// A piece before it has a place in the plan's order.
struct Cell {
  int64_t piece = 0, worker = 0;
  Box index;
  std::vector<Box> reads, writes;
  Point offsets;
};

plans::Boxes single(const Box& box) {
  plans::Boxes boxes;
  for (int64_t start : box.start())
    boxes.start.push_back({start, {}});
  boxes.extent = space::shape(box);
  return boxes;
}

Point numbers(const Shape& shape) {
  Point result;
  for (const Extent& extent : shape)
    result.push_back(*extent.constant());
  return result;
}

/// The text with the users' lines, but without the numbers of calls, which differ from trace to
/// trace.
std::string text_of(mlir::ModuleOp module) {
  auto line_of = [&](mlir::Location location) {
    return ir::to_location(module.getContext(), ir::to_source_location(location));
  };
  module.walk([&](mlir::Operation* op) {
    op->setLoc(line_of(op->getLoc()));
    for (mlir::Region& region : op->getRegions())
      for (mlir::BlockArgument argument : region.getArguments())
        argument.setLoc(line_of(argument.getLoc()));
  });
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, mlir::OpPrintingFlags().enableDebugInfo(true, false).useLocalScope());
  return text;
}

Box with_terms(const Box& terms, const Box& elements) {
  return space::cartesian_product(Box({terms.start()[0]}, {terms.end()[0]}), elements);
}

/// First the first pieces of all workers, then the second ones: what they share comes and goes at
/// about the same time.
std::vector<Placed> by_rounds(const std::vector<Placed>& pieces) {
  std::map<int64_t, int64_t> of_worker;
  std::vector<std::pair<int64_t, size_t>> rounds;
  for (size_t piece = 0; piece < pieces.size(); ++piece)
    rounds.emplace_back(of_worker[pieces[piece].worker]++, piece);
  std::ranges::sort(rounds);
  std::vector<Placed> order;
  for (const auto& [round, piece] : rounds)
    order.push_back(pieces[piece]);
  return order;
}

class Writer {
public:
  Writer(mlir::func::FuncOp main, const std::vector<Stage>& stages, std::vector<StageCut> cuts,
         const PlanOptions& options, transform::Cuts& parts)
      : main_(main), stages_(stages), cuts_(std::move(cuts)), parts_(parts),
        has_code_(options.has_code), group_(options.group), spread_(options.group) {
    for (StageCut& cut : cuts_)
      cut.pieces = by_rounds(cut.pieces);
    plan_.workers = options.workers;
    plan_.memory_per_worker = options.memory_per_worker;
    plan_.keeps_results = options.keeps_results;
  }

  Plan write() {
    add_tensors();
    for (size_t number = 0; number < stages_.size(); ++number)
      cells_.push_back(cells_of(number));
    add_loads();
    for (size_t number = 0; number < stages_.size(); ++number)
      put_stage(number);
    load_what_is_returned();
    plan_.tasks = plans::folded(plan_.tasks);
    plan_.moves = plans::folded(plan_.moves);
    plan_.cost["wasted"] = wasted();
    return std::move(plan_);
  }

private:
  int64_t add_tensor(plans::Tensor tensor) {
    plan_.tensors.push_back(std::move(tensor));
    blocks_.add_tensor();
    return static_cast<int64_t>(plan_.tensors.size()) - 1;
  }

  void add_tensors() {
    const std::vector<std::string> names = ir::argument_names(main_);
    for (mlir::BlockArgument argument : main_.getArguments()) {
      const auto number = static_cast<int64_t>(argument.getArgNumber());
      tensors_[argument] = add_tensor({.name = "argument " + names[static_cast<size_t>(number)],
                                       .dtype = ir::dtype_of(argument),
                                       .shape = numbers(ir::shape_of(argument)),
                                       .argument = number,
                                       .results = {}});
    }
    for (size_t number = 0; number < stages_.size(); ++number)
      for (Value written : stages_[number].writes) {
        auto result = llvm::cast<mlir::OpResult>(written);
        std::string name = "stage " + std::to_string(number);
        if (stages_[number].root->getNumResults() > 1)
          name += " result " + std::to_string(result.getResultNumber());
        tensors_[result] = add_tensor({.name = std::move(name),
                                       .dtype = ir::dtype_of(result),
                                       .shape = numbers(ir::shape_of(result)),
                                       .results = {}});
      }
    mlir::Operation* end = main_.getBody().front().getTerminator();
    for (auto [number, value] : llvm::enumerate(end->getOperands()))
      plan_.tensors[static_cast<size_t>(tensors_[value])].results.push_back(
          static_cast<int64_t>(number));
  }

  bool is_partial(size_t number) const {
    const int dim = stages_[number].summed_dim;
    return dim >= 0 && llvm::any_of(cuts_[number].pieces, [&](const Placed& placed) {
             return !(Extent(placed.index.extent(dim)) ==
                      stages_[number].signature.dims[static_cast<size_t>(dim)].extent);
           });
  }

  /// The stage's signature over what its tasks write: terms of sums are a dim of it.
  plans::Stage written_stage(size_t number, bool gives_parts) {
    const Stage& stage = stages_[number];
    plans::Stage own{.name = name_of(stage.root),
                     .work = plans::Work::compute,
                     .signature = stage.signature,
                     .tensors = {}};
    for (Value value : stage.reads)
      own.tensors.push_back(tensors_[value]);
    for (Value value : stage.writes)
      own.tensors.push_back(tensors_[value]);
    if (!gives_parts)
      return own;
    const auto dim = static_cast<size_t>(stage.summed_dim);
    const plans::Tensor whole = plan_.tensors[static_cast<size_t>(own.tensors.back())];
    plans::Tensor partial{.name = "parts of " + whole.name,
                          .dtype = transform::partial_dtype(stage.root),
                          .shape = whole.shape,
                          .results = {},
                          .partial_of = own.tensors.back()};
    const int64_t terms = *own.signature.dims[dim].extent.constant();
    partial.shape.insert(partial.shape.begin(), terms);
    own.tensors.back() = add_tensor(std::move(partial));
    own.signature.dims[dim].kind = space::DimKind::map;
    own.signature.dims[dim].monoid.reset();
    space::Operand& written = own.signature.operands.back();
    space::AffineRow row{std::vector<int64_t>(own.signature.dims.size(), 0), 0};
    row.coefficients[dim] = 1;
    written.shape.insert(written.shape.begin(), terms);
    written.projection.map.rows.insert(written.projection.map.rows.begin(), row);
    written.projection.adjustment.insert(written.projection.adjustment.begin(), 0);
    written.projection.size.insert(written.projection.size.begin(), 1);
    return own;
  }

  std::vector<Cell> cells_of(size_t number) {
    const Stage& stage = stages_[number];
    const bool gives_parts = is_partial(number);
    const auto own = static_cast<int64_t>(plan_.stages.size());
    plan_.stages.push_back(written_stage(number, gives_parts));
    const std::vector<mlir::Operation*> ops = transform::ops_of(
        parts_, stage.root, llvm::DenseSet<Value>(stage.reads.begin(), stage.reads.end()));
    for (const StageCells& known : known_cells_)
      if (is_alike(known, number, ops))
        return cells_like(known, number, own, ops);
    std::vector<Cell> cells;
    StageCells made{.stage = number, .ops = ops, .elements = {}, .first = {}};
    made.elements.resize(ops.size(), 0);
    llvm::StringMap<int64_t> pieces; // by their form
    std::vector<Box> indices;
    const Congruence congruence(stage, ops, parts_);
    std::map<Point, std::vector<Movable>> movable; // by extents
    for (const Placed& placed : cuts_[number].pieces) {
      if (std::optional<Cell> cell = moved_cell(
              stage, congruence, movable[space::shape(placed.index)], placed, made.elements)) {
        indices.push_back(cell->index);
        cells.push_back(std::move(*cell));
        continue;
      }
      transform::Piece piece = piece_at(stage, placed.index, gives_parts);
      std::vector<int64_t> elements(ops.size(), 0);
      size_t at = 0;
      for (const transform::Piece::Step& step : piece.steps) {
        while (ops[at] != step.op)
          ++at;
        elements[at] += elements_of(gives_parts && step.op == stage.root, step.part);
        made.elements[at] += elements[at];
      }
      const Congruence::Room room = congruence.room_of(piece);
      Cell cell = cell_of(stage, piece, placed.worker, gives_parts);
      indices.push_back(cell.index);
      auto [found, is_new] = pieces.try_emplace(transform::shape_of(parts_, piece),
                                                static_cast<int64_t>(plan_.pieces.size()));
      if (is_new) {
        made.first.push_back(cells.size());
        plan_.pieces.push_back(piece_text(own, piece, cell));
      }
      cell.piece = found->second;
      if (cell.offsets.empty() && !gives_parts && can_move(room))
        movable[space::shape(cell.index)].push_back({cell, room, std::move(elements)});
      cells.push_back(std::move(cell));
    }
    space::fail_on(space::validate_partition(space::index_box(stage.signature), indices));
    add_elements(made.elements, ops);
    known_cells_.push_back(std::move(made));
    return cells;
  }

  /// A cell that was made, and how far it may be moved.
  struct Movable {
    Cell cell;
    Congruence::Room room;
    std::vector<int64_t> elements;
  };

  static bool can_move(const Congruence::Room& room) {
    auto is_positive = [](int64_t points) { return points > 0; };
    return llvm::any_of(room.down, is_positive) || llvm::any_of(room.up, is_positive);
  }

  /// The cell of a piece that is the translate of another one with the same extents.
  static std::optional<Cell> moved_cell(const Stage& stage, const Congruence& congruence,
                                        llvm::ArrayRef<Movable> movable, const Placed& placed,
                                        std::vector<int64_t>& elements) {
    for (const Movable& known : movable) {
      Point by = placed.index.start();
      bool is_near = true;
      for (size_t dim = 0; dim < by.size(); ++dim) {
        by[dim] -= known.cell.index.start()[dim];
        is_near &= -known.room.down[dim] <= by[dim] && by[dim] <= known.room.up[dim];
      }
      if (!is_near)
        continue;
      Cell cell = known.cell;
      cell.worker = placed.worker;
      cell.index = placed.index;
      for (auto [value, box] : llvm::zip(stage.reads, cell.reads))
        box = congruence.moved(value, box, by);
      for (auto [value, box] : llvm::zip(stage.writes, cell.writes))
        box = congruence.moved(value, box, by);
      for (auto [all, own] : llvm::zip(elements, known.elements))
        all += own;
      return cell;
    }
    return std::nullopt;
  }

  transform::Piece piece_at(const Stage& stage, const Box& index, bool gives_parts) {
    const llvm::DenseSet<Value> stored(stage.reads.begin(), stage.reads.end());
    transform::Piece piece =
        transform::piece_of(parts_, stage.root, parts_.part(stage.root, index), stored);
    piece.is_partial = gives_parts;
    return piece;
  }

  Cell cell_of(const Stage& stage, transform::Piece& piece, int64_t worker, bool gives_parts) {
    Cell cell{.piece = 0,
              .worker = worker,
              .index = piece.steps.back().part.index,
              .reads = {},
              .writes = written(stage, piece.steps.back().part),
              .offsets = transform::offsets_of(parts_, piece)};
    set_reads(stage, piece);
    for (const transform::ValueBox& read : piece.reads)
      cell.reads.push_back(read.box);
    if (gives_parts) {
      const auto dim = static_cast<size_t>(stage.summed_dim);
      cell.writes = {space::cartesian_product(
          Box({cell.index.start()[dim]}, {cell.index.end()[dim]}), cell.writes[0])};
    }
    return cell;
  }

  /// What an equal stage that is cut alike shares with a stage, beside its cells.
  struct StageCells {
    size_t stage;
    std::vector<mlir::Operation*> ops; ///< in program order
    std::vector<int64_t> elements;     ///< that its pieces compute, by op
    std::vector<size_t> first;         ///< the first cell of each piece
  };

  /// Whether a stage has the same ops on the same boxes: its cells are the same then.
  bool is_alike(const StageCells& known, size_t number, llvm::ArrayRef<mlir::Operation*> ops) {
    const Stage &one = stages_[known.stage], &other = stages_[number];
    if (known.ops.size() != ops.size() || one.reads.size() != other.reads.size() ||
        !(one.signature == other.signature) || one.writes.size() != other.writes.size())
      return false;
    llvm::DenseMap<Value, Value> counterparts;
    for (auto [value, counterpart] : llvm::zip(one.reads, other.reads)) {
      if (value.getType() != counterpart.getType())
        return false;
      counterparts[value] = counterpart;
    }
    auto are_alike = [&](Value value, Value counterpart) {
      return mlir::success(counterparts.lookup(value) == counterpart);
    };
    for (auto [op, counterpart] : llvm::zip(known.ops, ops)) {
      if (!mlir::OperationEquivalence::isEquivalentTo(
              op, counterpart, are_alike, nullptr,
              mlir::OperationEquivalence::Flags::IgnoreLocations))
        return false;
      for (auto [result, same] : llvm::zip(op->getResults(), counterpart->getResults()))
        counterparts[result] = same;
    }
    for (auto [value, counterpart] : llvm::zip(one.writes, other.writes))
      if (counterparts.lookup(value) != counterpart)
        return false;
    return llvm::equal(cuts_[known.stage].pieces, cuts_[number].pieces,
                       [](const Placed& x, const Placed& y) { return x.index == y.index; });
  }

  std::vector<Cell> cells_like(const StageCells& known, size_t number, int64_t own,
                               llvm::ArrayRef<mlir::Operation*> ops) {
    const bool gives_parts = is_partial(number);
    const auto first_piece = static_cast<int64_t>(plan_.pieces.size());
    for (size_t first : known.first) {
      const Placed& placed = cuts_[number].pieces[first];
      transform::Piece piece = piece_at(stages_[number], placed.index, gives_parts);
      const Cell cell = cell_of(stages_[number], piece, placed.worker, gives_parts);
      plan_.pieces.push_back(piece_text(own, piece, cell));
    }
    std::vector<Cell> cells = cells_[known.stage];
    const int64_t first_known = cells[known.first[0]].piece;
    for (size_t cell = 0; cell < cells.size(); ++cell) {
      cells[cell].piece += first_piece - first_known; // pieces of a stage follow one another
      cells[cell].worker = cuts_[number].pieces[cell].worker;
    }
    add_elements(known.elements, ops);
    return cells;
  }

  void add_elements(llvm::ArrayRef<int64_t> elements, llvm::ArrayRef<mlir::Operation*> ops) {
    for (auto [op, count] : llvm::zip(ops, elements))
      computed_[op] += count;
  }

  static std::vector<Box> written(const Stage& stage, const transform::OpPart& part) {
    std::vector<Box> boxes;
    for (Value value : stage.writes)
      boxes.push_back(part.writes[llvm::cast<mlir::OpResult>(value).getResultNumber()]);
    return boxes;
  }

  /// Elements of parts of sums are not counted: each is a part.
  static int64_t elements_of(bool gives_parts, const transform::OpPart& part) {
    int64_t elements = 0;
    if (!gives_parts)
      for (const Box& box : part.writes)
        elements += space::size(box);
    return elements;
  }

  /// Elements of results of ops that are computed more than once.
  double wasted() const {
    int64_t wasted = 0;
    for (const auto& [op, elements] : computed_) {
      int64_t own = 0;
      for (Value result : op->getResults())
        own += transform::has_numbers(result)
                   ? space::size(Box::of_shape(numbers(ir::shape_of(result))))
                   : 1;
      wasted += std::max<int64_t>(0, elements - own);
    }
    return static_cast<double>(wasted);
  }

  /// What a piece reads of each of the stage's values: what its ops need, and what the signature
  /// names.
  void set_reads(const Stage& stage, transform::Piece& piece) {
    const Box& index = piece.steps.back().part.index;
    std::vector<transform::ValueBox> reads;
    for (auto [number, value] : llvm::enumerate(stage.reads)) {
      const space::Operand& operand = stage.signature.operands[number];
      const Box whole = space::tensor_box(operand);
      Box box = space::intersect(space::region(operand.projection, index), whole);
      for (const transform::ValueBox& needed : piece.reads)
        if (needed.value == value)
          box = space::is_empty(box) ? needed.box : space::bounding({box, needed.box});
      reads.push_back({value, std::move(box)});
    }
    piece.reads = std::move(reads);
  }

  plans::Piece piece_text(int64_t stage, const transform::Piece& piece, const Cell& cell) {
    plans::Piece own{.stage = stage, .program = {}};
    if (has_code_)
      own.program = text_of(*transform::program_of(parts_, piece));
    for (const transform::Piece::Step& step : piece.steps)
      own.flops += parts_.flops(step.op, step.part.index);
    const plans::Stage& at = plan_.stages[static_cast<size_t>(stage)];
    for (size_t number = 0; number < at.tensors.size(); ++number) {
      const plans::Tensor& tensor = plan_.tensors[static_cast<size_t>(at.tensors[number])];
      const size_t reads = cell.reads.size();
      const Box& box = number < reads ? cell.reads[number] : cell.writes[number - reads];
      own.bytes += static_cast<double>(plans::block_bytes(tensor, box));
      if (number < reads ? tensor.argument >= 0 : !tensor.results.empty())
        own.bytes += bytes_put_together(tensor.shape, tensor.dtype, box);
    }
    return own;
  }

  /// Arguments are loaded by boxes that the same workers need.
  void add_loads() {
    std::vector<Needed> needed(main_.getNumArguments());
    for (size_t number = 0; number < stages_.size(); ++number)
      for (const Cell& cell : cells_[number])
        for (auto [value, box] : llvm::zip(stages_[number].reads, cell.reads))
          if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value))
            needed[argument.getArgNumber()].push_back({box, cell.worker});
    loads_.resize(needed.size());
    for (size_t number = 0; number < needed.size(); ++number) {
      for (const Home& home : homes_of(needed[number]))
        blocks_.add(static_cast<int64_t>(number), home.box, home.worker);
      loads_[number].assign(blocks_.count(static_cast<int64_t>(number)), false);
    }
  }

  /// An argument that is a result is loaded whole, by worker 0, where nobody else does.
  void load_what_is_returned() {
    for (size_t number = 0; number < loads_.size(); ++number) {
      const plans::Tensor& tensor = plan_.tensors[number];
      if (tensor.results.empty())
        continue;
      const auto id = static_cast<int64_t>(number);
      const Box whole = Box::of_shape(tensor.shape);
      for (const Box& missing : blocks_.missing(id, whole))
        put_load(id, missing, 0);
      for (size_t block = 0; block < loads_[number].size(); ++block)
        if (!loads_[number][block]) {
          put_load(id, blocks_.at(id, block).box, blocks_.at(id, block).worker);
          loads_[number][block] = true;
        }
    }
  }

  void put_load(int64_t tensor, const Box& box, int64_t worker) {
    int64_t& stage = load_stages_.try_emplace(tensor, -1).first->second;
    if (stage < 0) {
      const plans::Tensor& own = plan_.tensors[static_cast<size_t>(tensor)];
      space::Signature signature{.op = "load", .dims = {}, .operands = {}};
      for (size_t dim = 0; dim < own.shape.size(); ++dim)
        signature.dims.push_back(space::map_dim("i" + std::to_string(dim), own.shape[dim]));
      signature.operands.push_back({"result", space::Role::out,
                                    Shape(own.shape.begin(), own.shape.end()),
                                    space::identity(static_cast<int>(own.shape.size()))});
      stage = static_cast<int64_t>(plan_.pieces.size());
      plan_.pieces.push_back({.stage = static_cast<int64_t>(plan_.stages.size()), .program = {}});
      plan_.stages.push_back({.name = "load " + own.name,
                              .work = plans::Work::load,
                              .signature = std::move(signature),
                              .tensors = {tensor}});
    }
    put({.piece = stage,
         .worker = worker,
         .index = box,
         .reads = {},
         .writes = {box},
         .offsets = {}});
  }

  void put(const Cell& cell) {
    Family task{.piece = cell.piece,
                .counts = {},
                .position = {position_++, {}},
                .worker = {cell.worker, {}},
                .index = single(cell.index),
                .reads = {},
                .writes = {},
                .offsets = {}};
    for (const Box& box : cell.reads)
      task.reads.push_back(single(box));
    for (const Box& box : cell.writes)
      task.writes.push_back(single(box));
    for (int64_t offset : cell.offsets)
      task.offsets.push_back({offset, {}});
    plan_.tasks.push_back(std::move(task));
  }

  /// Brings what a worker reads of a tensor to it.
  void fetch(int64_t tensor, const Box& box, int64_t worker) {
    if (space::is_empty(box))
      return;
    blocks_.for_each_meeting(tensor, box, [&](size_t number) {
      const Block& block = blocks_.at(tensor, number);
      if (tensor < static_cast<int64_t>(loads_.size()) &&
          !loads_[static_cast<size_t>(tensor)][number]) {
        put_load(tensor, block.box, block.worker);
        loads_[static_cast<size_t>(tensor)][number] = true;
      }
      const Box part = space::intersect(block.box, box);
      if (block.worker == worker || !blocks_.receive(tensor, part, worker))
        return;
      const int64_t from =
          group_ > 0 ? spread_.sender(tensor, part, block.worker, worker) : block.worker;
      plan_.moves.push_back({.tensor = tensor,
                             .counts = {},
                             .position = {position_++, {}},
                             .from = {from, {}},
                             .to = {worker, {}},
                             .box = single(part)});
    });
  }

  void put_stage(size_t number) {
    const std::vector<int64_t> tensors =
        plan_.stages[number].tensors; // stages of pieces come first
    spread_.forget();
    for (const Cell& cell : cells_[number]) {
      for (size_t read = 0; read < cell.reads.size(); ++read)
        fetch(tensors[read], cell.reads[read], cell.worker);
      put(cell);
      for (size_t write = 0; write < cell.writes.size(); ++write)
        blocks_.add(tensors[cell.reads.size() + write], cell.writes[write], cell.worker);
    }
    if (is_partial(number))
      merge(number, tensors.back());
  }

  /// Merges parts of sums: in groups of neighbours, each group by slices, until one part has all
  /// terms.
  void merge(size_t number, int64_t partial) {
    std::vector<Block> parts;
    for (size_t block = 0; block < blocks_.count(partial); ++block)
      parts.push_back(blocks_.at(partial, block));
    for (const Overlay& overlay : overlaid(parts))
      merge_parts(number, partial, overlay.elements, overlay.parts);
  }

  void merge_parts(size_t number, int64_t partial, const Box& elements,
                   const std::vector<Block>& parts) {
    const size_t merged = merged_at_once(parts);
    const bool is_last = parts.size() <= merged;
    std::vector<std::vector<Block>> next; // by slice
    std::vector<Block> again;             // the last group may be shorter, and have other slices
    for (size_t first = 0; first < parts.size(); first += merged) {
      const size_t count = std::min(merged, parts.size() - first);
      if (count == 1 && !is_last) { // it is its own sum
        again.push_back({with_terms(parts[first].box, elements), parts[first].worker});
        continue;
      }
      const std::vector<Box> slices = slices_of(elements, static_cast<int64_t>(count));
      next.resize(std::max(next.size(), slices.size()));
      for (size_t slice = 0; slice < slices.size(); ++slice)
        next[slice].push_back(put_merge(number, partial, llvm::ArrayRef(parts).slice(first, count),
                                        slices[slice], parts[first + slice].worker, is_last));
    }
    if (is_last)
      return;
    for (const std::vector<Block>& blocks : next)
      again.insert(again.end(), blocks.begin(), blocks.end());
    for (const Overlay& overlay : overlaid(again))
      merge_parts(number, partial, overlay.elements, overlay.parts);
  }

  /// How many neighbours are merged first: those of a group with quick links, where parts lie so.
  size_t merged_at_once(const std::vector<Block>& parts) const {
    const auto group = static_cast<size_t>(group_);
    if (group_ < 2 || group >= std::min(kMerged, parts.size()) || !std::has_single_bit(group))
      return kMerged;
    for (size_t part = 0; part < parts.size(); ++part)
      if (parts[part].worker / group_ != parts[part / group * group].worker / group_)
        return kMerged;
    return group;
  }

  Block put_merge(size_t number, int64_t partial, llvm::ArrayRef<Block> parts, const Box& slice,
                  int64_t worker, bool is_last) {
    const int64_t whole = plan_.tensors[static_cast<size_t>(partial)].partial_of;
    Cell cell{.piece =
                  merge_piece(number, partial, static_cast<int64_t>(parts.size()), slice, is_last),
              .worker = worker,
              .index = {},
              .reads = {},
              .writes = {},
              .offsets = {}};
    for (const Block& part : parts) {
      cell.reads.push_back(with_terms(part.box, slice));
      if (part.worker != worker && blocks_.receive(partial, cell.reads.back(), worker))
        plan_.moves.push_back({.tensor = partial,
                               .counts = {},
                               .position = {position_++, {}},
                               .from = {part.worker, {}},
                               .to = {worker, {}},
                               .box = single(cell.reads.back())});
    }
    const Box terms({parts.front().box.start()[0]}, {parts.back().box.end()[0]});
    cell.writes = {is_last ? slice : with_terms(terms, slice)};
    put(cell);
    if (is_last)
      blocks_.add(whole, slice, worker);
    return {cell.writes[0], worker};
  }

  int64_t merge_piece(size_t number, int64_t partial, int64_t count, const Box& slice,
                      bool is_last) {
    mlir::Operation* root = stages_[number].root;
    Shape shape{1};
    std::string form = std::to_string(number) + (is_last ? " last " : " ") + std::to_string(count);
    for (int64_t extent : space::shape(slice)) {
      shape.push_back(extent);
      form += " " + std::to_string(extent);
    }
    auto [found, is_new] = merges_.try_emplace(form, -1);
    if (!is_new)
      return found->second;
    std::string text =
        has_code_ ? text_of(*transform::merge_of(root, count, shape, is_last)) : std::string();
    const int64_t whole = plan_.tensors[static_cast<size_t>(partial)].partial_of;
    int64_t& stage = merge_stages_.try_emplace({number, is_last}, -1).first->second;
    if (stage < 0) {
      stage = static_cast<int64_t>(plan_.stages.size());
      plan_.stages.push_back({.name = "merge " + name_of(root),
                              .work = plans::Work::merge,
                              .signature = {},
                              .tensors = {partial, is_last ? whole : partial}});
    }
    const auto elements = static_cast<double>(space::size(slice));
    const double width = byte_width(plan_.tensors[static_cast<size_t>(partial)].dtype);
    plan_.pieces.push_back({.stage = stage,
                            .program = std::move(text),
                            .flops = elements * static_cast<double>(count - 1),
                            .bytes = elements * width * static_cast<double>(count + 1)});
    return found->second = static_cast<int64_t>(plan_.pieces.size()) - 1;
  }

  /// A power of two, so that groups are whole parts of the pairwise tree; their programs stay
  /// small.
  static constexpr size_t kMerged = 32;

  mlir::func::FuncOp main_;
  const std::vector<Stage>& stages_;
  std::vector<StageCut> cuts_; ///< pieces by rounds
  transform::Cuts& parts_;
  bool has_code_;
  Plan plan_;
  llvm::DenseMap<Value, int64_t> tensors_;
  llvm::DenseMap<mlir::Operation*, int64_t> computed_; ///< elements, by op
  std::vector<std::vector<Cell>> cells_;               ///< by stage
  std::vector<StageCells> known_cells_;
  Blocks blocks_;
  int64_t group_; ///< 0: nothing is passed on
  Spread spread_;
  std::vector<std::vector<bool>> loads_; ///< by argument and block: whether it is in the plan
  std::map<int64_t, int64_t> load_stages_;
  std::map<std::pair<size_t, bool>, int64_t> merge_stages_;
  llvm::StringMap<int64_t> merges_; ///< pieces, by their form
  int64_t position_ = 0;
};

} // namespace

plans::Plan make_plan(mlir::func::FuncOp main, const std::vector<Stage>& stages,
                      const std::vector<StageCut>& cuts, const PlanOptions& options,
                      transform::Cuts& parts) {
  return Writer(main, stages, cuts, options, parts).write();
}

} // namespace kolam::planner
