// Plans the walk over a root's cells.
#include "kolam/lower/map_plan.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/ops.h"
#include "kolam/lower/joined_dims.h"
#include "kolam/lower/lanes.h"
#include "kolam/lower/reduction.h"
#include "kolam/support/accumulate.h"

#include <map>
#include <numeric>
#include <set>

namespace kolam::lower {
namespace {

/// Ops of a nest that is emitted once for each row of a tile; keeps code and compile time bounded.
constexpr size_t kMaxTiledOps = 24;

/// For each dim of a value the root dim that it copies, or one of these.
constexpr int kElsewhere = -1, kConstant = -2;
using Copies = std::vector<int>;

/// Follows root dims to the nest's inputs, along every path.
class Paths {
public:
  explicit Paths(const nest::Nest& nest) : nest_(nest) { follow(nest.root, identity()); }

  /// What the reads of inputs copy, a row for each different read.
  const std::vector<Copies>& reads() const { return reads_; }
  /// Whether an op is asked for at the root's own index only.
  bool is_at_own_index(mlir::Operation* op) const {
    Copies own = identity();
    return llvm::all_of(seen_,
                        [&](const auto& use) { return use.first != op || use.second == own; });
  }

private:
  Copies identity() const {
    Copies own(ir::rank_of(nest_.root->getResult(0)));
    std::iota(own.begin(), own.end(), 0);
    return own;
  }

  void follow(mlir::Operation* op, const Copies& result) {
    if (!seen_.emplace(op, result).second)
      return;
    space::Signature signature = llvm::cast<ir::SignedOp>(op).signature();
    Copies index(signature.dims.size(), kElsewhere);
    const auto& rows = signature.operands.back().projection.map.rows;
    for (size_t dim = 0; dim < rows.size() && dim < result.size(); ++dim)
      if (int copied = analysis::copied_dim(rows[dim]); copied >= 0)
        index[copied] = result[dim];
    for (auto [number, value] : llvm::enumerate(op->getOperands())) {
      const space::Operand& operand = signature.operands[number];
      Copies copies;
      for (const space::AffineRow& row : operand.projection.map.rows) {
        int copied = analysis::copied_dim(row);
        bool is_fixed = space::is_constant(row) && !operand.indirect;
        copies.push_back(copied >= 0 ? index[copied] : is_fixed ? kConstant : kElsewhere);
      }
      if (llvm::is_contained(nest_.inputs, value))
        reads_.push_back(copies);
      else if (mlir::Operation* producer = value.getDefiningOp())
        follow(producer, copies);
    }
  }

  const nest::Nest& nest_;
  std::set<std::pair<mlir::Operation*, Copies>> seen_;
  std::vector<Copies> reads_;
};

/// Producers first.
std::vector<mlir::Operation*> choose_together(const nest::Nest& nest, const Paths& paths) {
  std::vector<mlir::Operation*> together;
  auto add = [&](mlir::Operation* op) {
    auto attr = op->getAttrOfType<ir::AccumulateAttr>("accumulate");
    if (is_reduction(op) && ir::accumulate_of(attr).order == Order::chunk &&
        ir::rank_of(op->getResult(0)) > 0 && paths.is_at_own_index(op))
      together.push_back(op);
  };
  for (mlir::Operation* op : llvm::reverse(nest.fused))
    add(op);
  add(nest.root);
  return together;
}

/// States of all vectors fill half of the registers at most.
int choose_vectors(const std::vector<mlir::Operation*>& together, const Machine& machine) {
  size_t states = 1;
  for (mlir::Operation* op : together)
    states = std::max(states, read_reduction(op).states.size());
  return llvm::bit_floor(static_cast<unsigned>((machine.vector_bytes == 64 ? 16 : 8) / states));
}

/// Whether rows are longer than the vectors side by side, so that memory is read in its own order
/// only row by row, and the code for an element, which that repeats, is short.
bool goes_by_rows(const nest::Nest& nest, const MapPlan& plan) {
  Shape run = ir::shape_of(nest.root->getResult(0));
  run.erase(run.begin(), run.begin() + plan.first_run);
  bool has_chunks = llvm::any_of(
      plan.together, [](mlir::Operation* op) { return read_reduction(op).wrap_all != nullptr; });
  return !has_chunks && nest.fused.size() <= kMaxTiledOps &&
         element_count(run).constant().value_or(INT64_MAX) > int64_t{plan.vectors} * plan.lanes;
}

/// The root dim along which most reads step that do not along the innermost one; -1 for none.
int64_t choose_tile_dim(const nest::Nest& nest, const Paths& paths, int lanes) {
  Shape shape = ir::shape_of(nest.root->getResult(0));
  auto last = static_cast<int>(shape.size()) - 1;
  if (last < 1 || lanes < 4 || nest.fused.size() > kMaxTiledOps)
    return -1;
  std::map<int, int> votes;
  for (const Copies& copies : paths.reads()) {
    int along = copies.empty() ? kElsewhere : copies.back();
    bool is_known = !llvm::is_contained(copies, kElsewhere);
    if (is_known && along >= 0 && along != last && llvm::count(copies, last) == 1 &&
        llvm::count(copies, along) == 1 && shape[along].constant().value_or(lanes) >= lanes &&
        shape[last].constant().value_or(lanes) >= lanes)
      ++votes[along];
  }
  int best = -1, most = 0;
  for (auto [dim, count] : votes)
    if (count > most) {
      best = dim;
      most = count;
    }
  return best;
}

bool streams(const nest::Nest& nest, const MapPlan& plan, const Machine& machine) {
  if (plan.lanes == 1 || nest.outputs.size() != 1 || !nest.aligned_outputs)
    return false;
  Shape shape = ir::shape_of(nest.outputs[0]);
  auto cells = element_count(shape).constant(), row = shape.back().constant();
  if (!cells || !row)
    return false;
  int64_t width = byte_width(ir::dtype_of(nest.outputs[0]));
  if (*cells * width <= machine.cache_bytes)
    return false;
  // Lines are written whole: rows start at one, or are walked as one.
  return *row * width % 64 == 0 || (plan.first_run == 0 && plan.tile_dim < 0);
}

} // namespace

MapPlan choose_map_plan(const nest::Nest& nest, const Machine& machine) {
  MapPlan plan;
  JoinedDims joined(nest);
  for (mlir::Value result : nest.root->getResults())
    plan.first_run = std::max(plan.first_run, joined.first_joined(result));
  Paths paths(nest);
  plan.together = choose_together(nest, paths);
  plan.lanes = choose_lanes(nest, plan.first_run, plan.together, machine);
  if (plan.lanes != machine.vector_bytes / 4)
    plan.together.clear();
  if (!plan.together.empty()) {
    plan.vectors = choose_vectors(plan.together, machine);
    plan.by_rows = goes_by_rows(nest, plan);
  } else {
    plan.tile_dim = choose_tile_dim(nest, paths, plan.lanes);
  }
  plan.streams = streams(nest, plan, machine);
  return plan;
}

std::string to_string(const MapPlan& plan, int64_t rank) {
  std::string text = std::to_string(plan.lanes) + (plan.lanes == 1 ? " lane" : " lanes");
  if (plan.by_rows)
    text += ", row by row";
  else if (plan.vectors > 1)
    text += " by " + std::to_string(plan.vectors);
  if (plan.first_run + 1 < rank)
    text +=
        ", dims " + std::to_string(plan.first_run) + " to " + std::to_string(rank - 1) + " as one";
  if (plan.tile_dim >= 0)
    text += ", tiles turned from dim " + std::to_string(plan.tile_dim);
  if (plan.streams)
    text += ", past the caches";
  return text;
}

} // namespace kolam::lower
