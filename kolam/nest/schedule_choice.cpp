// Writes the schedules of nests: maps by their plan, products by their tiles, other ops whole.
#include "kolam/nest/schedule_choice.h"

#include "kolam/ir/monoid.h"
#include "kolam/ir/ops.h"
#include "kolam/nest/fusion.h"
#include "kolam/nest/in_place.h"
#include "kolam/nest/lanes.h"
#include "kolam/nest/map_plan.h"
#include "kolam/nest/restarts.h"
#include "kolam/nest/symbols.h"

#include "llvm/ADT/SetVector.h"

#include <algorithm>

namespace kolam::nest {
namespace {

std::string dim_name(size_t dim) {
  constexpr std::string_view kLetters = "ijklmnopqrstuvw";
  return dim < kLetters.size() ? std::string(1, kLetters[dim]) : "d" + std::to_string(dim);
}

/// Neighbouring dims of the root's result as one.
ScheduleDim joined(const Shape& shape, const std::vector<int>& dims) {
  ScheduleDim result{"", 1};
  for (int dim : dims) {
    result.name += dim_name(dim);
    result.extent = result.extent * shape[dim];
  }
  return result;
}

/// Writes a schedule line by line; a loop is open until its caller's scope ends.
class Writer {
public:
  explicit Writer(const Nest& nest) : nest_(nest) {
    schedule.ops = op_names(nest);
    open_.push_back(&schedule.nodes);
  }

  Schedule schedule;

  int add_dim(ScheduleDim dim) {
    schedule.dims.push_back(std::move(dim));
    loops_.push_back(0);
    return static_cast<int>(schedule.dims.size()) - 1;
  }
  /// What is added from now on stands inside; `close` ends the innermost loop.
  void open(int dim, Extent step = 1, LoopKind kind = LoopKind::serial, Rest rest = Rest::none) {
    std::string name = schedule.dims[dim].name + std::to_string(loops_[dim]++);
    open_.back()->push_back({ScheduleLoop{name, dim, std::move(step), kind, rest}});
    open_.push_back(&open_.back()->back().body);
  }
  void close() { open_.pop_back(); }
  void add(ScheduleStage stage) { open_.back()->push_back({std::move(stage)}); }
  void add(ScheduleStore store) { open_.back()->push_back({store}); }
  void add(ScheduleAhead ahead) { open_.back()->push_back({ahead}); }

  int number_of(mlir::Operation* op) const {
    return op == nest_.root
               ? 0
               : static_cast<int>(llvm::find(nest_.fused, op) - nest_.fused.begin()) + 1;
  }
  int parameter_of(mlir::Value value) const {
    auto output = llvm::find(nest_.outputs, value);
    if (output != nest_.outputs.end())
      return static_cast<int>(output - nest_.outputs.begin());
    return static_cast<int>(nest_.outputs.size() +
                            (llvm::find(nest_.inputs, value) - nest_.inputs.begin()));
  }
  /// The ops that are computed where `op` is, but for those in `known` and what only they read.
  std::vector<int> with(mlir::Operation* op, llvm::ArrayRef<mlir::Operation*> known) const {
    llvm::SmallSetVector<mlir::Operation*, 8> found;
    std::vector<mlir::Operation*> open{op};
    while (!open.empty()) {
      mlir::Operation* reader = open.back();
      open.pop_back();
      for (mlir::Value operand : reader->getOperands())
        if (mlir::Operation* producer = operand.getDefiningOp();
            producer && llvm::is_contained(nest_.fused, producer) &&
            !llvm::is_contained(known, producer) && found.insert(producer))
          open.push_back(producer);
    }
    std::vector<int> numbers;
    for (mlir::Operation* producer : found)
      numbers.push_back(number_of(producer));
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

private:
  const Nest& nest_;
  std::vector<int> loops_; ///< by dim, so far
  std::vector<std::vector<ScheduleNode>*> open_;
};

Schedule map_schedule(const Nest& nest, const MapPlan& plan) {
  Writer writer(nest);
  Shape shape = ir::shape_of(nest.root->getResult(0));
  auto rank = static_cast<int>(shape.size());
  auto first_run = static_cast<int>(plan.first_run), tile = static_cast<int>(plan.tile_dim);
  for (const EndToEnd& walk : plan.prefetched)
    writer.add(ScheduleAhead{writer.parameter_of(walk.value), walk.first_of_row});
  ScheduleStage root{0, writer.with(nest.root, {})};
  if (rank == 0) {
    root.lanes = restarts_by(nest) ? kScanParts : 1;
    writer.add(root);
    return std::move(writer.schedule);
  }
  for (int dim = 0; dim < first_run; ++dim)
    writer.add_dim(joined(shape, {dim}));
  std::vector<int> run_dims;
  for (int dim = first_run; dim < rank; ++dim)
    run_dims.push_back(dim);
  const int run = writer.add_dim(joined(shape, run_dims));
  const auto parallel = static_cast<int>(parallel_dim(nest).value_or(0));
  const int64_t lanes = plan.lanes, block = lanes * plan.vectors;
  root.lanes = plan.lanes;
  root.past_caches = plan.streams;

  // The outer loops. Threads share the outermost dim of several elements.
  if (parallel < first_run) {
    writer.open(parallel, 1, LoopKind::parallel);
  } else {
    Extent unit = 1;
    for (int dim = parallel + 1; dim < rank; ++dim)
      unit = unit * shape[dim];
    writer.open(run, unit, LoopKind::parallel);
  }
  for (int dim = 0; dim < first_run; ++dim) {
    if (dim == tile)
      continue;
    if (plan.rows > 1 && dim + 1 == first_run) {
      auto rest = shape[dim].constant().value_or(1) % plan.rows == 0 && dim != parallel
                      ? Rest::none
                      : Rest::peeled;
      writer.open(dim, plan.rows, LoopKind::serial, rest);
      writer.open(dim, 1, LoopKind::unrolled);
    } else {
      writer.open(dim);
    }
  }
  // The run.
  auto divides = [&](int64_t step) {
    std::optional<int64_t> length = writer.schedule.dims[run].extent.constant();
    return parallel < first_run && length && *length % step == 0;
  };
  if (tile >= 0) {
    writer.open(run, kTiles.squares * lanes, LoopKind::serial,
                divides(kTiles.squares * lanes) ? Rest::none : Rest::mask);
    bool is_whole = tile != parallel && shape[tile].constant().value_or(1) % lanes == 0;
    writer.open(tile, lanes, LoopKind::serial, is_whole ? Rest::none : Rest::peeled);
    root.by = Emitter::tiles;
    writer.add(root);
    return std::move(writer.schedule);
  }
  std::vector<mlir::Operation*> known;
  for (mlir::Operation* op : plan.kept.ops) {
    int64_t length = *shape.back().constant();
    writer.add(ScheduleStore{writer.number_of(op), StoreSpace::row, length});
  }
  for (mlir::Operation* reduction : plan.kept.reductions) {
    writer.add(ScheduleStage{writer.number_of(reduction), writer.with(reduction, known),
                             Emitter::reduction});
    known.push_back(reduction);
    for (mlir::Operation* op : plan.kept.ops)
      if (llvm::is_contained(reduction->getOperands(), op->getResult(0)))
        known.push_back(op);
  }
  auto add_reductions = [&](StoreSpace space, int64_t count, Emitter by) {
    for (mlir::Operation* op : plan.together) {
      int number = writer.number_of(op);
      writer.add(ScheduleStore{number, space, count});
      writer.add(ScheduleStage{number, writer.with(op, known), by, plan.lanes});
      known.push_back(op);
    }
  };
  if (plan.by_rows) {
    writer.open(run, kThreads.block_columns, LoopKind::serial,
                divides(kThreads.block_columns) ? Rest::none : Rest::mask);
    add_reductions(StoreSpace::row, kThreads.block_columns, Emitter::rows);
  } else if (plan.vectors > 1 && plan.rows == 1) {
    writer.open(run, block, LoopKind::serial, divides(block) ? Rest::none : Rest::peeled);
    add_reductions(StoreSpace::registers, block, Emitter::columns);
    writer.open(run, lanes, LoopKind::unrolled);
  } else if (plan.rows > 1 && plan.vectors > 1) {
    writer.open(run, lanes, LoopKind::unrolled);
  }
  // A root that is one of the reductions has been computed; its elements are then stored.
  root.with =
      llvm::is_contained(known, nest.root) ? std::vector<int>() : writer.with(nest.root, known);
  writer.add(root);
  return std::move(writer.schedule);
}

/// Whether the root writes part of the memory of what it changes.
bool is_changed_in_place(const Nest& nest) { return changed_input(nest, 0) && parallel_dim(nest); }

/// Whether elements along the innermost dim may be combined in any grouping.
bool combines_exactly(mlir::Operation* op) {
  auto cumulative = llvm::dyn_cast<ir::CumulativeOp>(op);
  DType dtype = ir::dtype_of(op->getResult(0));
  return cumulative && dtype != DType::boolean &&
         ir::is_exact(*ir::parse_monoid(cumulative.getFunction()), dtype);
}

/// Elements of an op with a scan dim that go side by side: along the innermost dim, where that is
/// another, or may be grouped.
int elements_at_once(const Nest& nest, const Machine& machine) {
  space::Signature signature = llvm::cast<ir::SignedOp>(nest.root).signature();
  bool has_scan = llvm::any_of(
      signature.dims, [](const space::IndexDim& dim) { return dim.kind == space::DimKind::scan; });
  if (!has_scan || signature.dims.empty() ||
      (signature.dims.back().kind == space::DimKind::scan && !combines_exactly(nest.root)))
    return 1;
  analysis::Signatures signatures;
  NestRelation relation(nest.root, nest.fused, signatures);
  return choose_lanes(nest, relation, ir::rank_of(nest.root->getResult(0)) - 1, {}, machine).count;
}

/// An op that is emitted by its own loops, which count its tasks.
Schedule whole_schedule(const Nest& nest, const Machine& machine, bool past_caches) {
  Writer writer(nest);
  writer.open(writer.add_dim({"t", parallel_extent(nest)}), 1, LoopKind::parallel);
  writer.add(ScheduleStage{0, writer.with(nest.root, {}), Emitter::whole,
                           elements_at_once(nest, machine), past_caches});
  return std::move(writer.schedule);
}

/// The rows of a product that count for its tiles; many where they are not known.
int64_t most_rows(const Nest& nest) {
  int64_t rows = row_count(nest.products[0]).constant().value_or(kTiles.few_rows);
  return nest.products[0].dims.is_grouped
             ? std::clamp<int64_t>(rows, 1, unit_of(nest.products).rows)
             : rows;
}

Schedule product_schedule(const Nest& nest, const Machine& machine, ProductTile tile) {
  Writer writer(nest);
  const MatrixDims& dims = nest.products[0].dims;
  Shape shape = ir::shape_of(nest.root->getResult(0));
  UnitShape unit = unit_of(nest.products);
  int batch = -1, rows = -1;
  if (!dims.batch.empty())
    batch = writer.add_dim(joined(shape, dims.batch));
  if (!dims.rows.empty())
    rows = writer.add_dim(joined(shape, dims.rows));
  int columns = writer.add_dim(joined(shape, {static_cast<int>(shape.size()) - 1}));
  if (batch >= 0)
    writer.open(batch, 1, LoopKind::parallel);
  writer.open(columns, unit.columns, LoopKind::parallel, Rest::mask);
  if (rows >= 0 && !nest.packs)
    writer.open(rows, unit.rows, LoopKind::parallel, Rest::mask);
  writer.open(columns, int64_t{tile.vectors} * machine.lanes(), LoopKind::serial, Rest::mask);
  if (rows >= 0 && !nest.packs)
    writer.open(rows, tile.rows, LoopKind::serial, Rest::mask);
  writer.add(ScheduleStage{0, writer.with(nest.root, {}),
                           nest.packs ? Emitter::packing : Emitter::products, machine.lanes()});
  return std::move(writer.schedule);
}

/// Registers that a vector of sums takes.
int registers_of(const Nest& nest) {
  int width = 4;
  for (const Product& product : nest.products) {
    DType factor = ir::dtype_of(product.op->getOperand(0));
    DType result = ir::dtype_of(product.op->getResult(0));
    width = std::max(width, is_narrow_float(factor) ? 4 : byte_width(result));
  }
  return width / 4;
}

ProductTile product_tile(const Nest& nest, const Machine& machine) {
  if (nest.packs)
    return {1, static_cast<int>(kTiles.packed_vectors)};
  Shape shape = ir::shape_of(nest.root->getResult(0));
  return rule_tile(machine, registers_of(nest), most_rows(nest), shape.back().constant());
}

/// Tiles whose sums, with a vector of each factor, fit into the registers and leave few unused.
/// Their heights and widths divide a unit, so that units start where tiles do; the height of few
/// rows, which are one unit, is free.
std::vector<ProductTile> tiles_for(const Nest& nest, const Machine& machine) {
  std::vector<ProductTile> tiles;
  int lanes = machine.lanes(), registers = machine.registers();
  std::optional<int64_t> known = row_count(nest.products[0]).constant();
  UnitShape unit = unit_of(nest.products);
  bool is_one_unit = known && *known < unit.rows;
  int64_t most_rows = is_one_unit ? std::max<int64_t>(*known, 1) : unit.rows;
  for (int vectors = 1; vectors <= registers; ++vectors)
    for (int rows = 1; rows <= std::min<int64_t>(registers, most_rows); ++rows) {
      int used = (rows * vectors + vectors + 1) * registers_of(nest);
      bool divides =
          unit.columns % (vectors * lanes) == 0 && (is_one_unit || unit.rows % rows == 0);
      bool is_useful = 2 * used > registers || rows == most_rows;
      if (divides && is_useful && used <= registers)
        tiles.push_back({rows, vectors});
    }
  return tiles;
}

/// Tiles of one height, where some height of at least half of `most` divides the rows; else of like
/// heights.
int like_height(int64_t rows, int most) {
  for (int height = most; 2 * height >= most; --height)
    if (rows % height == 0)
      return height;
  int64_t tiles = (rows + most - 1) / most;
  return static_cast<int>(std::max<int64_t>(1, (rows + tiles - 1) / std::max<int64_t>(tiles, 1)));
}

} // namespace

std::vector<std::string> op_names(const Nest& nest) {
  std::vector<std::string> names{"y"};
  for (mlir::Operation* op : nest.fused) {
    auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op);
    std::string name =
        elementwise ? elementwise.getFunction().str() : op->getName().stripDialect().str();
    names.push_back(name + std::to_string(names.size()));
  }
  return names;
}

Schedule choose_schedule(const Nest& nest, const Machine& machine) {
  if (!nest.products.empty())
    return product_schedule(nest, machine, product_tile(nest, machine));
  if (!analysis::computes_cells(nest.root) && !carries(nest.root))
    return whole_schedule(nest, machine, false);
  MapPlan plan = choose_map_plan(nest, machine);
  return is_changed_in_place(nest) ? whole_schedule(nest, machine, plan.streams)
                                   : map_schedule(nest, plan);
}

std::vector<Schedule> schedules_for(const Nest& nest, const Machine& machine) {
  constexpr size_t kMostOps = 24; // size of code: a map's is repeated for each of its vectors
  std::vector<Schedule> schedules{choose_schedule(nest, machine)};
  auto add = [&](Schedule schedule) {
    if (!llvm::is_contained(schedules, schedule))
      schedules.push_back(std::move(schedule));
  };
  if (!nest.products.empty()) {
    if (!nest.packs)
      for (ProductTile tile : tiles_for(nest, machine))
        add(product_schedule(nest, machine, tile));
    return schedules;
  }
  if (!analysis::computes_cells(nest.root) || is_changed_in_place(nest) ||
      ir::rank_of(nest.root->getResult(0)) == 0 || nest.fused.size() > kMostOps ||
      carries(nest.root) || llvm::any_of(nest.fused, carries))
    return schedules;
  MapPlan plan = choose_map_plan(nest, machine);
  if (plan.lanes == machine.lanes() && plan.tile_dim < 0)
    for (int vectors : {1, 2, 4, 8, 16})
      add(map_schedule(nest, choose_map_plan(nest, machine, vectors)));
  return schedules;
}

ProductTile tile_of(const Schedule& schedule, const Machine& machine) {
  ProductTile tile;
  auto columns = static_cast<int>(schedule.dims.size()) - 1;
  for_each_node(schedule.nodes, [&](const ScheduleNode& node, const auto& around) {
    auto* stage = std::get_if<ScheduleStage>(&node.what);
    if (!stage || (stage->by != Emitter::products && stage->by != Emitter::packing))
      return;
    // The serial loops are those of the tile.
    for (const ScheduleLoop* loop : around) {
      auto step = static_cast<int>(loop->step.constant().value_or(1));
      if (loop->kind != LoopKind::parallel)
        (loop->dim == columns ? tile.vectors : tile.rows) =
            loop->dim == columns ? step / machine.lanes() : step;
    }
  });
  return tile;
}

ProductTile rule_tile(const Machine& machine, int registers, int64_t most_rows,
                      std::optional<int64_t> columns) {
  // Sums fill three quarters of the registers; beside them lie the vectors of a row of columns, and
  // an element of the rows.
  int lanes = machine.lanes();
  ProductTile tile{machine.registers() / 4, 3};
  if (registers > 1)
    tile = {machine.registers() * 3 / 16, 2};
  if (most_rows <= tile.rows / 2)
    tile.vectors = tile.vectors == 3 ? 6 : 3; // divides a unit's columns, as all widths do
  int width = tile.vectors * lanes;
  if (columns && *columns <= 2 * width && *columns % width != 0 && tile.vectors == 3 &&
      *columns % (2 * lanes) == 0)
    tile = *columns == 4 * lanes ? ProductTile{tile.rows * 3 / 4, 4}
                                 : ProductTile{tile.rows * 3 / 2, 2};
  if (most_rows < kTiles.few_rows)
    tile.rows = like_height(most_rows, tile.rows);
  return tile;
}

} // namespace kolam::nest
