// Plans the walk over a root's cells.
#include "kolam/lower/map_plan.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/ops.h"
#include "kolam/lower/joined_dims.h"
#include "kolam/lower/lanes.h"

#include <map>
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
  explicit Paths(const nest::Nest& nest) : nest_(nest) {
    Copies own;
    for (int64_t dim = 0; dim < ir::rank_of(nest.root->getResult(0)); ++dim)
      own.push_back(static_cast<int>(dim));
    follow(nest.root, own);
  }

  /// What the reads of inputs copy, a row for each different read.
  const std::vector<Copies>& reads() const { return reads_; }

private:
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

/// The root dim along which most reads step that do not along the innermost one; -1 for none.
int64_t choose_tile_dim(const nest::Nest& nest, int lanes) {
  Shape shape = ir::shape_of(nest.root->getResult(0));
  auto last = static_cast<int>(shape.size()) - 1;
  if (last < 1 || lanes < 4 || nest.fused.size() > kMaxTiledOps)
    return -1;
  std::map<int, int> votes;
  Paths paths(nest);
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
  plan.lanes = choose_lanes(nest, plan.first_run, machine);
  plan.tile_dim = choose_tile_dim(nest, plan.lanes);
  plan.streams = streams(nest, plan, machine);
  return plan;
}

std::string to_string(const MapPlan& plan, int64_t rank) {
  std::string text = std::to_string(plan.lanes) + (plan.lanes == 1 ? " lane" : " lanes");
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
