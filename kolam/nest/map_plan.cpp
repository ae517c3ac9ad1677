// Plans the walk over a root's elements.
#include "kolam/nest/map_plan.h"

#include "kolam/analysis/cost.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/reduction.h"
#include "kolam/nest/fusion.h"
#include "kolam/nest/joined_dims.h"
#include "kolam/nest/lanes.h"
#include "kolam/nest/parts.h"
#include "kolam/nest/segments.h"
#include "kolam/nest/short_rows.h"
#include "kolam/nest/strided.h"
#include "kolam/nest/symbols.h"
#include "kolam/support/elementwise.h"

#include <map>

namespace kolam::nest {
namespace {

/// Size of code: ops of a nest that is emitted once for each row of a tile.
constexpr size_t kMaxTiledOps = 24;

/// States of all vectors fill half of the registers at most.
int choose_vectors(const Nest& nest, const std::vector<mlir::Operation*>& together,
                   const Machine& machine) {
  size_t most = 1;
  for (const ReductionGroup& group : group_reductions(together, nest.fused)) {
    size_t states = 0;
    for (mlir::Operation* op : group)
      states += ir::reduction_of(op)->states.size();
    most = std::max(most, states);
  }
  return llvm::bit_floor(static_cast<unsigned>(machine.registers() / 2 / most));
}

/// Whether an element of the op is a long chain of ops, each of which waits for the one before,
/// with no branch between them.
bool is_chain(mlir::Operation* op, const Machine& machine) {
  auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op);
  if (!elementwise || !is_float(ir::dtype_of(op->getResult(0))))
    return false;
  Fn fn = *parse_fn(elementwise.getFunction());
  bool is_short = fn == Fn::rsqrt; // 1 / sqrt(x)
  return !elementwise_row(fn).branches && !is_short &&
         analysis::flops_per_cell(op) >= machine.prices.chain;
}

/// Whether most of a nest's arithmetic is one sequence of ops, each of which waits for the one
/// before, and so long that a processor sees little beyond one vector's: 31 maxima of neighbours.
bool is_one_sequence(const Nest& nest, const NestRelation& relation) {
  constexpr double kMostOps = 64, kMostBeside = 1.5, kInteger = 0.25; // size of code, rough shares
  llvm::DenseMap<mlir::Operation*, double> waits; // from an element's first op to this one
  double longest = 0, all = 0, ops = 0;
  for (mlir::Operation* op : llvm::concat<mlir::Operation* const>(
           llvm::reverse(llvm::ArrayRef(nest.fused)), llvm::ArrayRef(&nest.root, 1))) {
    double before = 0;
    for (mlir::Value operand : op->getOperands())
      before = std::max(before, waits.lookup(operand.getDefiningOp()));
    double own = 0;
    auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op);
    if (elementwise && relation.varies(op, 0)) {
      Fn fn = *parse_fn(elementwise.getFunction());
      if (elementwise_row(fn).branches)
        return false;
      // Of floats these ask for NaN and the signs of zeros, one after the other. Integers are
      // quick.
      bool is_ordered = fn == Fn::maximum || fn == Fn::minimum;
      own = !is_float(ir::dtype_of(op->getResult(0))) ? kInteger : is_ordered ? 3 : 1;
      ops += 1;
    }
    all += own;
    waits[op] = before + own;
    longest = std::max(longest, before + own);
  }
  return longest >= kOpsAhead && ops <= kMostOps && all <= kMostBeside * longest;
}

/// Vectors whose chains are worth dealing out (lower/interleaved.h): as many as fill an eighth
/// of the registers. Nests of little work are not worth the code.
int choose_interleaved(const Nest& nest, const NestRelation& relation, const Machine& machine) {
  constexpr int kMostOps = 128; // size of code: ops that compute are emitted for every vector
  double flops = 0;
  int width = 4, computing = 0;
  const bool is_sequence = is_one_sequence(nest, relation);
  for (mlir::Operation* op : nest.ops()) {
    if (has_loop(op))
      return 1;
    computing += analysis::flops_per_cell(op) > 0 ? 1 : 0;
    if (!is_sequence && !is_chain(op, machine))
      continue;
    flops += analysis::flops_of(op);
    width = std::max(width, byte_width(ir::dtype_of(op->getResult(0))));
  }
  if (flops < machine.prices.interleaving || !machine.has_fma ||
      (computing > kMostOps && !is_sequence))
    return 1;
  return std::max(1, machine.registers() / 8 * 4 / width);
}

/// The elements that are walked as one.
int64_t run_length(const Nest& nest, const MapPlan& plan) {
  Shape run = ir::shape_of(nest.root->getResult(0));
  run.erase(run.begin(), run.begin() + plan.first_run);
  return element_count(run).constant().value_or(INT64_MAX);
}

/// Whether something that reductions read has a row of elements for each of their steps. What data
/// place, or what lies along their steps, each element finds elsewhere.
bool has_rows_of_steps(const NestRelation& relation) {
  const int last = relation.access().rank() - 1;
  return llvm::any_of(relation.access().reads(), [&](const analysis::RelationUse& read) {
    return !read.at.empty() && !read.at.back().is_by_data && read.at.back().depends_on(last) &&
           llvm::any_of(analysis::loops_of(read.at), [&](int loop) { return loop > last; });
  });
}

/// Whether rows are longer than the vectors side by side, so that memory is read in its own order
/// only row by row, and the code for an element, which that repeats, is short.
bool goes_by_rows(const Nest& nest, const NestRelation& relation, const MapPlan& plan) {
  bool has_chunks = llvm::any_of(
      plan.together, [](mlir::Operation* op) { return ir::reduction_of(op)->wrap_all != nullptr; });
  return !has_chunks && nest.fused.size() <= kMaxTiledOps && has_rows_of_steps(relation) &&
         run_length(nest, plan) > int64_t{plan.vectors} * plan.lanes;
}

/// Size of code: vectors side by side whose elements are read by squares, each of which is loaded
/// and turned where it stands.
constexpr int kSquaresAtOnce = 2;

/// Whether lanes lie apart in something that the reductions read, and what each combines follows
/// one another there.
bool goes_by_squares(const Nest& nest, const NestRelation& relation, const MapPlan& plan,
                     const Machine& machine) {
  const int last = relation.access().rank() - 1;
  bool has_one_run = llvm::all_of(plan.together, [](mlir::Operation* op) {
    std::optional<ir::Reduction> reduction = ir::reduction_of(op);
    return reduction->dims.size() == 1 && !reduction->wrap_all;
  });
  return has_one_run && plan.lanes == machine.lanes() && run_length(nest, plan) >= plan.lanes &&
         llvm::any_of(relation.access().reads(), [&](const analysis::RelationUse& read) {
           return !nest.layout_of(relation.value_of(read)) && lies_in_squares(read.at, last);
         });
}

/// Lets vectors that wait for their own ops run side by side, of several rows where one has too
/// few.
void choose_side_by_side(const Nest& nest, const NestRelation& relation, const Machine& machine,
                         MapPlan& plan) {
  if (plan.tile_dim >= 0 || plan.lanes != machine.lanes() || !plan.kept.ops.empty())
    return;
  int most = choose_interleaved(nest, relation, machine);
  int64_t whole = run_length(nest, plan) / plan.lanes;
  plan.vectors = static_cast<int>(std::clamp<int64_t>(whole, 1, most));
  if (plan.first_run > 0 && run_length(nest, plan) == int64_t{plan.vectors} * plan.lanes)
    plan.rows = most / plan.vectors;
}

/// The root dim whose number is the last place of an operand's element, in a window that data
/// places, where the root's last dim steps along another; -1 for none.
int dim_across_window(mlir::Operation* op, unsigned operand, int last, const Nest& nest,
                      JoinedDims& joined) {
  auto read = strided_operand(op, operand, 0, nest, joined);
  if (!read || read->windows.empty() || read->map.rows.empty())
    return -1;
  const space::AffineRow& back = read->map.rows.back();
  const int along = analysis::copied_dim(back);
  auto fronts = llvm::ArrayRef(read->map.rows).drop_back();
  auto along_last = [&](const space::AffineRow& row) { return row.coefficients[last] == 1; };
  auto is_free = [&](const space::AffineRow& row) {
    return space::is_affine(row) && (along < 0 || row.coefficients[along] == 0);
  };
  return along < last && llvm::count_if(fronts, along_last) == 1 && llvm::all_of(fronts, is_free)
             ? along
             : -1;
}

/// The root dim in front of `first_run` that a read's last place steps along by one, where one
/// place in front steps along the root's last dim: of transposes, also of parts and of dims that a
/// reshape splits. -1 for none.
int dim_along(const analysis::RelationUse& read, int first_run, int last) {
  // Sums of root dims, inside of the operand wherever they begin.
  auto is_known = [&](const analysis::RelationCoordinate& at) {
    return at.row && space::is_affine(*at.row) && at.row->offset.constant().value_or(-1) >= 0 &&
           llvm::all_of(at.loops, [&](int loop) { return loop <= last; });
  };
  auto depends = [&](const analysis::RelationCoordinate& at) { return at.depends_on(last); };
  if (read.at.empty() || !llvm::all_of(read.at, is_known) || depends(read.at.back()) ||
      llvm::count_if(read.at, depends) != 1)
    return -1;
  auto fronts = llvm::ArrayRef(read.at).drop_back();
  for (int loop : llvm::reverse(read.at.back().loops))
    if (loop < first_run && read.at.back().steps_by_one(loop) &&
        llvm::none_of(fronts, [&](const auto& at) { return at.depends_on(loop); }))
      return loop;
  return -1;
}

/// The root dim in front of the run along which most reads step that do not along the innermost
/// one; -1 for none.
int64_t choose_tile_dim(const Nest& nest, const NestRelation& relation, int64_t first_run,
                        int lanes, JoinedDims& joined) {
  Shape shape = ir::shape_of(nest.root->getResult(0));
  Extent run = element_count(Shape(shape.begin() + first_run, shape.end()));
  auto last = static_cast<int>(shape.size()) - 1;
  if (last < 1 || lanes < kShortRun || nest.fused.size() > kMaxTiledOps || carries(nest.root) ||
      llvm::any_of(nest.fused, carries))
    return -1;
  auto is_long_enough = [&](int along) {
    return shape[along].constant().value_or(lanes) >= lanes &&
           run.constant().value_or(lanes) >= lanes;
  };
  std::map<int, int> votes;
  bool has_windows = false; // whose place data decides
  for (const analysis::RelationUse& read : relation.access().reads()) {
    has_windows |= llvm::any_of(read.at, [](const auto& at) { return at.is_by_data; });
    if (int along = dim_along(read, static_cast<int>(first_run), last);
        along >= 0 && is_long_enough(along))
      ++votes[along];
  }
  if (has_windows)
    for (mlir::Operation* op : nest.ops()) {
      const unsigned operands = relation.is_at_own_index(op) ? op->getNumOperands() : 0;
      for (unsigned operand = 0; operand < operands; ++operand)
        if (int along = dim_across_window(op, operand, last, nest, joined);
            along >= 0 && along < first_run && is_long_enough(along))
          ++votes[along];
    }
  int best = -1, most = 0;
  for (auto [dim, count] : votes)
    if (count > most) {
      best = dim;
      most = count;
    }
  // What a row shares would be computed anew for each part of it.
  bool is_shared = llvm::any_of(nest.fused, [&](mlir::Operation* op) {
    return best >= 0 && has_loop(op) && !relation.varies(op, first_run) &&
           relation.always_varies(op, best);
  });
  return is_shared ? -1 : best;
}

/// Whether an element's neighbour along the root's last dim lies beside it, or is the same.
bool lies_in_a_row(const analysis::RelationUse& read, int last) {
  return llvm::all_of(read.at, [&](const analysis::RelationCoordinate& at) {
    return !at.depends_on(last) || (&at == &read.at.back() && at.steps_by_one(last));
  });
}

/// How many times as many lanes a register has where all integers that differ between lanes are
/// narrower than 32 bits.
int narrow_lanes(const Nest& nest, const NestRelation& relation, const MapPlan& plan) {
  int width = 1;
  auto is_narrow = [&](mlir::Value value) {
    DType dtype = ir::dtype_of(value);
    width = std::max(width, byte_width(dtype));
    return !is_float(dtype) && width < 4;
  };
  for (mlir::Operation* op : nest.ops()) {
    if (!relation.varies(op, static_cast<int>(plan.first_run)))
      continue;
    if (has_loop(op) || ir::facts_of(op).reads_index || !llvm::all_of(op->getResults(), is_narrow))
      return 1;
  }
  const int last = relation.access().rank() - 1;
  for (const analysis::RelationUse& read : relation.access().reads()) {
    bool differs = llvm::any_of(read.at, [&](const analysis::RelationCoordinate& at) {
      return llvm::any_of(at.loops, [&](int loop) { return loop >= plan.first_run; });
    });
    if (differs && (!is_narrow(relation.value_of(read)) || !lies_in_a_row(read, last)))
      return 1;
  }
  const int most = 4 / width;
  return run_length(nest, plan) >= int64_t{most} * plan.lanes ? most : 1;
}

bool streams(const Nest& nest, const MapPlan& plan, const Machine& machine) {
  if (plan.lanes == 1 || plan.interleaves || nest.outputs.empty() || !nest.aligned_outputs ||
      carries(nest.root))
    return false;
  Shape shape = ir::shape_of(nest.outputs[0]);
  auto cells = element_count(shape).constant(), row = shape.back().constant();
  if (!cells || !row)
    return false;
  int64_t bytes = 0;
  for (mlir::Value output : nest.outputs) {
    if (nest.layout_of(output))
      return false;
    int64_t width = byte_width(ir::dtype_of(output));
    bytes += *cells * width;
    // Lines are written whole: rows start at one, or are walked as one.
    if (*row * width % machine.caches.line != 0 && (plan.first_run > 0 || plan.tile_dim >= 0))
      return false;
  }
  // Nor does a half of the last cache stay there beside as much that is read.
  int64_t read = 0;
  for (mlir::Value input : nest.inputs)
    read +=
        element_count(ir::shape_of(input)).constant().value_or(0) * byte_width(ir::dtype_of(input));
  return bytes >= machine.caches.last ||
         (bytes >= machine.caches.last / 2 && bytes + read >= machine.caches.last);
}

/// Fused ops that every element needs, not one of several branches alone.
llvm::DenseSet<mlir::Operation*> always_needed(const Nest& nest, analysis::Signatures& signatures) {
  llvm::DenseSet<mlir::Operation*> needed;
  for (mlir::Operation* op : nest.ops()) { // consumers first
    if (op != nest.root && !needed.contains(op))
      continue;
    const space::Signature& signature = signatures.of(op);
    for (mlir::OpOperand& operand : op->getOpOperands())
      if (mlir::Operation* producer = operand.get().getDefiningOp();
          producer && analysis::share_inside(signature, operand.getOperandNumber()) == 1)
        needed.insert(producer);
  }
  return needed;
}

std::vector<SharedLoop> choose_shared(const Nest& nest, const NestRelation& relation,
                                      const MapPlan& plan, analysis::Signatures& signatures) {
  std::vector<SharedLoop> shared;
  if (llvm::none_of(nest.fused, has_loop))
    return shared;
  llvm::DenseSet<mlir::Operation*> needed = always_needed(nest, signatures);
  const int64_t rank = relation.access().rank();
  const int64_t most = plan.tile_dim >= 0 ? plan.tile_dim
                       : plan.interleaves ? plan.first_run - 1
                                          : plan.first_run;
  std::map<int64_t, std::vector<mlir::Operation*>> by_rank;
  for (mlir::Operation* op : llvm::reverse(nest.fused))
    if (has_loop(op) && !carries(op) && needed.contains(op) &&
        !llvm::is_contained(plan.kept.reductions, op))
      if (std::optional<int64_t> own = relation.own_rank(op))
        by_rank[*own].push_back(op);
  for (const auto& [own, ops] : by_rank)
    for (ReductionGroup& group : group_reductions(ops, nest.fused))
      if (own <= most || (own == rank && plan.lanes == 1 && group.size() > 1))
        shared.push_back({std::move(group), own});
  return shared;
}

/// Cuts the dims in front, innermost first, as far as code goes: inside, a row asks for nothing.
void choose_parts_of_rows(const Nest& nest, const NestRelation& relation,
                          analysis::Signatures& signatures, MapPlan& plan) {
  constexpr size_t kMostOps = 400; // size of code: ops in all kinds of rows
  if (plan.tile_dim >= 0 || plan.rows > 1 || plan.lanes == 1 || plan.interleaves ||
      llvm::any_of(nest.ops(), has_loop))
    return;
  size_t kinds = 1; // of rows: borders are not cut along other dims
  for (auto dim = static_cast<int>(plan.first_run) - 1; dim >= 0; --dim) {
    std::vector<Extent> cuts = cuts_of_rows(dim, nest, relation, signatures);
    kinds += cuts.size();
    if (kinds * (nest.fused.size() + 1) > kMostOps)
      return;
    if (!cuts.empty())
      plan.cuts[dim] = std::move(cuts);
  }
}

/// Cuts the dim along which vectors go: the innermost one, or that in front of rows side by side.
void choose_parts(const Nest& nest, const NestRelation& relation, analysis::Signatures& signatures,
                  const Machine& machine, MapPlan& plan) {
  constexpr size_t kMostOps = 400; // size of code: ops in all parts
  const int last = relation.access().rank() - 1;
  if ((plan.first_run != last && !plan.interleaves) || plan.tile_dim >= 0 || plan.rows > 1 ||
      plan.lanes == 1)
    return;
  const int dim = plan.interleaves ? static_cast<int>(plan.first_run) - 1 : last;
  size_t ops = nest.fused.size() + 1;
  if (plan.interleaves)
    ops *= static_cast<size_t>(run_length(nest, plan));
  std::vector<Extent> cuts = cuts_along(dim, nest, relation, signatures, machine);
  if (!cuts.empty() && ops * (cuts.size() + 1) <= kMostOps)
    plan.cuts[dim] = std::move(cuts);
}

} // namespace

MapPlan choose_map_plan(const Nest& nest, const Machine& machine, int vectors) {
  MapPlan plan;
  JoinedDims joined(nest);
  for (mlir::Value result : nest.root->getResults())
    if (ir::rank_of(result) == ir::rank_of(nest.root->getResult(0))) // others are stored by steps
      plan.first_run = std::max(plan.first_run, joined.first_joined(result));
  // A single row joins nothing.
  const Shape shape = ir::shape_of(nest.root->getResult(0));
  while (plan.first_run + 1 < static_cast<int64_t>(shape.size()) &&
         shape[plan.first_run] == Extent(1))
    ++plan.first_run;
  analysis::Signatures signatures;
  NestRelation relation(nest.root, nest.fused, signatures);
  plan.together = column_reductions(nest, relation);
  if (plan.first_run > 0 && plan.first_run == ir::rank_of(nest.root->getResult(0)) - 1)
    plan.kept = kept_rows(nest, relation, machine);
  Lanes lanes = choose_lanes(nest, relation, plan.first_run, plan.together, machine);
  plan.lanes = lanes.count;
  plan.why_one_lane = lanes.why_one;
  if (plan.lanes != machine.lanes())
    plan.together.clear();
  if (!plan.together.empty()) {
    plan.by_squares = goes_by_squares(nest, relation, plan, machine);
    plan.vectors = plan.by_squares ? kSquaresAtOnce : choose_vectors(nest, plan.together, machine);
    plan.by_rows = !plan.by_squares && goes_by_rows(nest, relation, plan);
    // A row of fewer vectors is met once with all of them side by side.
    int64_t whole = run_length(nest, plan) / plan.lanes;
    plan.vectors = static_cast<int>(std::clamp<int64_t>(whole, 1, plan.vectors));
  } else {
    plan.tile_dim = choose_tile_dim(nest, relation, plan.first_run, plan.lanes, joined);
  }
  if (int64_t first = first_of_short_row(nest, relation, plan, signatures, machine); first >= 0) {
    plan.interleaves = true;
    plan.first_run = first;
    plan.lanes = machine.lanes();
    plan.tile_dim = -1;
    plan.together.clear();
    plan.by_rows = plan.by_squares = false;
    plan.kept = {};
    plan.vectors = 1;
  } else if (vectors > 0 && !plan.by_squares) {
    plan.vectors = vectors;
    plan.by_rows = false;
  } else if (plan.together.empty()) {
    choose_side_by_side(nest, relation, machine, plan);
  }
  const bool is_cut = plan.first_run > 0 || ir::rank_of(nest.root->getResult(0)) == 1;
  if (plan.together.empty() && !carries(nest.root) && is_cut && plan.tile_dim < 0 &&
      !plan.interleaves && parallel_dim(nest).value_or(0) == 0)
    plan.segments = segments_of(nest, signatures);
  if (plan.segments) {
    plan.vectors = plan.rows = 1;
    plan.in_segments = reductions_in_segments(nest, plan.segments);
  }
  if (vectors == 0 && !plan.interleaves && plan.together.empty() && plan.tile_dim < 0 &&
      plan.vectors == 1 && plan.kept.ops.empty() && plan.lanes == machine.lanes())
    plan.lanes *= narrow_lanes(nest, relation, plan);
  plan.shared = choose_shared(nest, relation, plan, signatures);
  if (!plan.segments) {
    choose_parts(nest, relation, signatures, machine, plan);
    choose_parts_of_rows(nest, relation, signatures, plan);
  }
  plan.streams = !plan.segments && streams(nest, plan, machine);
  if (plan.tile_dim < 0 && !plan.by_squares)
    plan.prefetched = walked_end_to_end(nest, plan.together, plan.streams, machine);
  return plan;
}

} // namespace kolam::nest
