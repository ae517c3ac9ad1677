// Decides between recomputing and storing, op by op, from access facts.
#include "kolam/nest/fusion.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/pointwise.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/nest/changes.h"
#include "kolam/nest/evaluations.h"
#include "kolam/nest/products.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kolam::nest {
namespace {

/// Computing an element again, by vectors, costs no more than storing and loading it up to this
/// many operations.
constexpr double kFreeFlops = 128;
/// The same of ops that reduce: inside a reader their elements are computed one by one.
constexpr double kFreeSum = 8;
/// Packing an element costs as much as storing and loading it.
constexpr double kMaxPacked = 2;
/// Different indices at which an op is computed in place of once; keeps code and compile time
/// bounded.
constexpr size_t kMaxPlaces = 8;
/// Elements emitted for one element of a nest's root; keeps code and compile time bounded.
constexpr double kMaxCells = 96;

/// Places of windows of so many elements and more are stored where they take more than so many
/// elements to compute: a place for each row is little beside the row.
constexpr double kLargeWindow = 16, kPlaceCells = 16;

/// What is read in the steps of a loop without lanes is computed ahead, in lanes, where it takes
/// more operations; and the rows that have lanes.
constexpr double kFreeStep = 2;
constexpr int64_t kShortRow = 4;

struct Cost {
  double flops; ///< of one element with all producers recomputed that have as many elements
  double cells; ///< emitted for one element, likewise
  /// It reads no memory and computes nothing: constants and what repeats them.
  bool is_free;
};

double cells_of(mlir::Operation* op) {
  return op->getNumResults() == 0 ? 1
                                  : std::max(1.0, ir::rough_count(ir::shape_of(op->getResult(0))));
}

bool reduces(mlir::Operation* op, analysis::Signatures& signatures) {
  return llvm::any_of(signatures.of(op).dims, [](const space::IndexDim& dim) {
    return dim.kind == space::DimKind::reduce;
  });
}

bool is_literal(mlir::Operation* op) {
  auto constant = llvm::dyn_cast<ir::ConstantOp>(op);
  return constant && !llvm::cast<mlir::DenseElementsAttr>(constant.getValue()).isSplat();
}

/// Why a loop needs an operand in memory; empty where it does not.
std::string why_loop_reads(mlir::OpOperand& operand, const Cost& cost,
                           analysis::Signatures& signatures) {
  mlir::Operation* loop = operand.getOwner();
  if (!carries(loop) || ir::rank_of(operand.get()) == 0)
    return "";
  if (signatures.of(loop).operands[operand.getOperandNumber()].indirect)
    return "each step of a loop reads it at places of its own";
  Shape shape = ir::shape_of(loop->getResult(0));
  bool is_sliced = ir::rank_of(operand.get()) > static_cast<int64_t>(shape.size());
  bool has_lanes = !shape.empty() && shape.back().constant().value_or(kShortRow) >= kShortRow;
  return is_sliced && !has_lanes && cost.flops > kFreeStep ? "a loop without lanes reads it" : "";
}

/// Whether the operand has the places of large windows.
bool places_rows(const mlir::OpOperand& operand) {
  auto gather = llvm::dyn_cast<ir::GatherOp>(operand.getOwner());
  if (!gather || operand.get() != gather.getIndices())
    return false;
  Shape result = ir::shape_of(gather.getResult());
  return ir::rough_count(Shape(result.begin() + ir::rank_of(operand.get()) - 1, result.end())) >=
         kLargeWindow;
}

} // namespace

bool forms_step(mlir::Operation* op) { return ir::facts_of(op).runs == ir::Runs::step; }

bool carries(mlir::Operation* op) {
  return ir::facts_of(op).bodies == ir::Bodies::in_turn && !forms_step(op);
}

bool keeps_order(mlir::Operation* op) { return ir::facts_of(op).keeps_order; }

mlir::Value unnamed(mlir::Value value) {
  while (auto reshape = value.getDefiningOp<ir::ReshapeOp>()) {
    Shape from = ir::shape_of(reshape.getOperand()), to = ir::shape_of(value);
    if (from.size() != to.size())
      return value;
    int64_t names = 0;
    for (auto [old, renamed] : llvm::zip(from, to)) {
      bool is_name = !(old == renamed);
      names += is_name ? 1 : 0;
      // Only beside extents that are not 0 does an equal number of elements make it the same
      // extent.
      if (is_name ? old.is_constant() && renamed.is_constant() : old.constant().value_or(0) == 0)
        return value;
    }
    if (names > 1)
      return value;
    value = reshape.getOperand();
  }
  return value;
}

/// A step of its own is run whole, also where its rows have one element.
static bool gives_cells(mlir::Operation* op, analysis::Signatures& signatures) {
  return !forms_step(op) && analysis::computes_cells(op, signatures);
}

/// A reduction whose elements are chunks: what it merges was cut so that threads share it.
static bool merges_parts(mlir::Operation* op) {
  auto reduce = llvm::dyn_cast<ir::ReduceOp>(op);
  return reduce && ir::accumulate_of(reduce.getAccumulate()).chunk == 1;
}

/// Why an op does not give single elements, by what its signature says.
static std::string why_no_cells(mlir::Operation* op) {
  if (forms_step(op)) {
    bool is_loop = ir::facts_of(op).bodies == ir::Bodies::in_turn;
    return "it is a step of its own" + (is_loop ? ": " + ir::pointwise(op).why_not : "");
  }
  auto signed_op = llvm::dyn_cast<ir::SignedOp>(op);
  if (!signed_op || op->getNumResults() == 0)
    return "it gives no elements";
  if (signed_op.task_count())
    return "it cuts its work into tasks of its own";
  space::Signature signature = signed_op.signature();
  if (analysis::first_result(signature).indirect)
    return "data decides where its elements lie";
  if (llvm::any_of(signature.dims,
                   [](const space::IndexDim& dim) { return dim.kind == space::DimKind::scan; }))
    return "its elements depend on those before";
  return "it gives no single elements";
}

Materialized choose_materialized(mlir::Block& block, analysis::Signatures& signatures) {
  Evaluations evaluations(signatures);
  Required required;
  for (mlir::Value value : block.getTerminator()->getOperands())
    required[value] = "it is a result";
  require_for_changes(block, required);

  // Costs as if everything were recomputed, cut where the nest would grow too large.
  llvm::DenseMap<mlir::Operation*, Cost> costs;
  for (mlir::Operation& op : block.without_terminator()) {
    Cost cost{analysis::flops_per_cell(&op, signatures),
              carries(&op) ? 1.0 + static_cast<double>(ir::ops_inside(&op)) : 1.0,
              gives_cells(&op, signatures) && !is_literal(&op)};
    cost.is_free &= cost.flops == 0;
    for (mlir::OpOperand& operand : op.getOpOperands()) {
      mlir::Operation* producer = operand.get().getDefiningOp();
      cost.is_free &= producer && costs[producer].is_free;
      if (!producer || required.contains(operand.get()) || !gives_cells(producer, signatures))
        continue;
      if (places_rows(operand) && costs[producer].cells > kPlaceCells) {
        required[operand.get()] = "it places rows of many elements";
        continue;
      }
      if (std::string why = why_loop_reads(operand, costs[producer], signatures); !why.empty()) {
        required[operand.get()] = why;
        continue;
      }
      if (cost.cells + costs[producer].cells > kMaxCells) {
        required[operand.get()] = "the nest would grow too large";
        continue;
      }
      cost.flops += costs[producer].flops * std::min(1.0, cells_of(producer) / cells_of(&op));
      cost.cells += costs[producer].cells;
    }
    costs[&op] = cost;
  }

  llvm::DenseSet<mlir::Value> destined; // these have memory of their own
  bool returns = llvm::isa<mlir::func::ReturnOp>(block.getTerminator());
  for (mlir::Value value : block.getTerminator()->getOperands())
    if (!returns || unnamed(value) == value)
      destined.insert(value);
  Materialized result;
  llvm::DenseMap<mlir::Operation*, MatrixDims> tiled; // roots with products of matrices inside
  for (mlir::Operation& op : llvm::reverse(block.without_terminator())) {
    std::string reason;
    for (mlir::Value value : op.getResults())
      if (reason.empty())
        reason = required.lookup(value);
    double times = evaluations.per_cell(&op);
    bool is_sum = gives_cells(&op, signatures) && reduces(&op, signatures);
    double free_flops = is_sum ? kFreeSum : kFreeFlops;
    if (!gives_cells(&op, signatures))
      reason = why_no_cells(&op);
    else if (is_literal(&op))
      reason = "it is a literal";
    else if (reason.empty() && (times - 1) * costs[&op].flops > free_flops &&
             !evaluations.is_read_by_rows(&op))
      reason = "each element is read " + std::to_string(static_cast<int64_t>(times + 0.5)) +
               " times and costs " + std::to_string(static_cast<int64_t>(costs[&op].flops)) +
               " operations";
    else if (reason.empty() && is_sum && costs[&op].flops > kFreeSum &&
             evaluations.is_inside_reduction(&op))
      reason = "its sums would be computed one by one in a reduction of them";
    else if (reason.empty() && times > kMaxPacked && evaluations.is_packed_by_tiles(&op))
      reason = "each element would be packed " + std::to_string(static_cast<int64_t>(times + 0.5)) +
               " times";
    else if (reason.empty() && times > kMaxPacked && llvm::isa<ir::TransposeOp>(op) &&
             evaluations.is_summed_by_lanes(&op))
      reason = "its elements would be gathered " +
               std::to_string(static_cast<int64_t>(times + 0.5)) + " times";
    else if (reason.empty() && evaluations.places(&op) > kMaxPlaces && !costs[&op].is_free)
      reason = "it is read at " + std::to_string(evaluations.places(&op)) + " places";
    std::optional<Product> product = as_product(&op, signatures);
    if (product && reason.empty()) {
      auto roots = evaluations.roots_at_own_index(&op);
      if (!roots)
        reason = "its tiles are of other elements than its consumer's";
      for (mlir::Operation* root : roots.value_or(std::vector<mlir::Operation*>()))
        if (carries(root))
          reason = "its consumer is a loop";
        else if (!(tiled.try_emplace(root, product->dims).first->second == product->dims))
          reason = "its consumer has other matrices in tiles";
    }
    if (!reason.empty())
      result[&op] = reason;
    if (!reason.empty() && keeps_order(&op) && !destined.contains(op.getResult(0)))
      required.try_emplace(op.getOperand(0), "its consumer shows its memory: " + reason);
    if (merges_parts(&op))
      required.try_emplace(op.getOperand(0), "threads share its parts");
    if (forms_step(&op))
      for (mlir::Value operand : op.getOperands())
        required.try_emplace(operand, "a step of its own needs it in memory");
    else if (reason.empty())
      evaluations.add_inside(&op);
    else
      evaluations.add_root(&op);
    if (product && !reason.empty())
      tiled[&op] = product->dims;
  }
  return result;
}

} // namespace kolam::nest
