// Writes the schedules of nests: maps by their plan, products by their tiles, other ops whole.
#include "kolam/nest/schedule_choice.h"

#include "kolam/ir/op_name.h"
#include "kolam/ir/ops.h"
#include "kolam/nest/fusion.h"
#include "kolam/nest/in_place.h"
#include "kolam/nest/lanes.h"
#include "kolam/nest/map_plan.h"
#include "kolam/nest/product_schedule.h"
#include "kolam/nest/restarts.h"
#include "kolam/nest/schedule_writer.h"
#include "kolam/nest/segments.h"
#include "kolam/nest/symbols.h"
#include "kolam/nest/whole_schedule.h"

#include <algorithm>

namespace kolam::nest {
namespace {

Schedule map_schedule(const Nest& nest, const MapPlan& plan) {
  ScheduleWriter writer(nest);
  Shape shape = ir::shape_of(nest.root->getResult(0));
  auto rank = static_cast<int>(shape.size());
  auto first_run = static_cast<int>(plan.first_run), tile = static_cast<int>(plan.tile_dim);
  for (const EndToEnd& walk : plan.prefetched)
    writer.add(ScheduleAhead{writer.parameter_of(walk.value), walk.first_of_row});
  std::vector<mlir::Operation*> known;
  auto add_reductions = [&](llvm::ArrayRef<mlir::Operation*> ops, Emitter by, int lanes) {
    ScheduleStage stage{writer.number_of(ops[0]), writer.with(ops, known), by, lanes};
    for (mlir::Operation* op : ops.drop_front())
      stage.beside.push_back(writer.number_of(op));
    writer.add(std::move(stage));
    llvm::append_range(known, ops);
  };
  auto add_shared = [&](int64_t rank) {
    for (const SharedLoop& shared : plan.shared)
      if (shared.rank == rank)
        add_reductions(shared.ops, Emitter::reduction, 1);
  };
  ScheduleStage root{0, {}};
  if (rank == 0) {
    add_shared(0);
    root.with = writer.with(nest.root, known);
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
  if (plan.segments)
    writer.open(ScheduleSegments{0, writer.number_of(plan.segments), reduces_segments(nest)});
  for (mlir::Operation* op : plan.in_segments)
    add_reductions(op, Emitter::reduction, 1);
  for (int dim = 0; dim < first_run; ++dim) {
    add_shared(dim);
    if (dim == tile)
      continue;
    if (plan.interleaves && dim + 1 == first_run) {
      auto cuts = plan.cuts.find(dim);
      if (cuts != plan.cuts.end())
        writer.open(ScheduleParts{dim, cuts->second});
      bool is_whole = cuts == plan.cuts.end() && dim != parallel &&
                      shape[dim].constant().value_or(1) % lanes == 0;
      writer.open(dim, lanes, LoopKind::serial, is_whole ? Rest::none : Rest::peeled);
      continue;
    }
    if (plan.rows > 1 && dim + 1 == first_run) {
      auto rest = shape[dim].constant().value_or(1) % plan.rows == 0 && dim != parallel
                      ? Rest::none
                      : Rest::peeled;
      writer.open(dim, plan.rows, LoopKind::serial, rest);
      writer.open(dim, 1, LoopKind::unrolled);
    } else {
      if (auto cuts = plan.cuts.find(dim); cuts != plan.cuts.end())
        writer.open(ScheduleParts{dim, cuts->second});
      writer.open(dim);
    }
  }
  // The run.
  auto divides = [&](int64_t step) {
    std::optional<int64_t> length = writer.schedule.dims[run].extent.constant();
    return parallel < first_run && !plan.cuts.contains(first_run) && length && *length % step == 0;
  };
  if (plan.interleaves) {
    root.by = Emitter::interleaved;
    root.with = writer.with(nest.root, known);
    writer.add(root);
    return std::move(writer.schedule);
  }
  if (tile >= 0) {
    writer.open(run, kTiles.squares * lanes, LoopKind::serial,
                divides(kTiles.squares * lanes) ? Rest::none : Rest::mask);
    bool is_whole = tile != parallel && shape[tile].constant().value_or(1) % lanes == 0;
    writer.open(tile, lanes, LoopKind::serial, is_whole ? Rest::none : Rest::peeled);
    root.by = Emitter::tiles;
    root.with = writer.with(nest.root, known);
    writer.add(root);
    return std::move(writer.schedule);
  }
  for (mlir::Operation* op : plan.kept.ops) {
    int64_t length = *shape.back().constant();
    writer.add(ScheduleStore{writer.number_of(op), StoreSpace::row, length});
  }
  for (mlir::Operation* op : llvm::reverse(nest.fused)) { // producers first
    for (const SharedLoop& shared : plan.shared)
      if (shared.rank == first_run && shared.ops[0] == op)
        add_reductions(shared.ops, Emitter::reduction, 1);
    if (!llvm::is_contained(plan.kept.reductions, op))
      continue;
    add_reductions(op, Emitter::reduction, 1);
    for (mlir::Operation* row : plan.kept.ops)
      if (llvm::is_contained(op->getOperands(), row->getResult(0)))
        known.push_back(row);
  }
  if (llvm::any_of(plan.shared, [&](const SharedLoop& shared) { return shared.rank == rank; }) &&
      first_run < rank) {
    writer.open(run);
    add_shared(rank);
  }
  auto add_together = [&](StoreSpace space, int64_t count, Emitter by) {
    for (const ReductionGroup& group : group_reductions(plan.together, nest.fused)) {
      for (mlir::Operation* op : group)
        writer.add(ScheduleStore{writer.number_of(op), space, count});
      add_reductions(group, by, plan.lanes);
    }
  };
  if (auto cuts = plan.cuts.find(first_run); cuts != plan.cuts.end())
    writer.open(ScheduleParts{run, cuts->second});
  if (plan.by_rows) {
    writer.open(run, kThreads.block_columns, LoopKind::serial,
                divides(kThreads.block_columns) ? Rest::none : Rest::mask);
    add_together(StoreSpace::row, kThreads.block_columns, Emitter::rows);
  } else if ((plan.vectors > 1 || plan.by_squares) && plan.rows == 1) {
    writer.open(run, block, LoopKind::serial, divides(block) ? Rest::none : Rest::peeled);
    add_together(StoreSpace::registers, block,
                 plan.by_squares ? Emitter::squares : Emitter::columns);
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

} // namespace

std::vector<std::string> op_names(const Nest& nest) {
  std::vector<std::string> names{"y"};
  for (mlir::Operation* op : nest.fused)
    names.push_back(ir::user_name(op) + std::to_string(names.size()));
  return names;
}

Schedule choose_schedule(const Nest& nest, const Machine& machine) {
  if (!nest.products.empty())
    return product_schedule(nest, machine);
  if (!analysis::computes_cells(nest.root) && !carries(nest.root))
    return whole_schedule(nest, machine, false);
  MapPlan plan = choose_map_plan(nest, machine);
  return is_changed_in_place(nest) ? whole_schedule(nest, machine, plan.streams)
                                   : map_schedule(nest, plan);
}

std::vector<Schedule> schedules_for(const Nest& nest, const Machine& machine) {
  if (!nest.products.empty())
    return product_schedules(nest, machine);
  constexpr size_t kMostOps = 24; // size of code: a map's is repeated for each of its vectors
  std::vector<Schedule> schedules{choose_schedule(nest, machine)};
  auto add = [&](Schedule schedule) {
    if (!llvm::is_contained(schedules, schedule))
      schedules.push_back(std::move(schedule));
  };
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

} // namespace kolam::nest
