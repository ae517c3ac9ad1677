// Decides between recomputing and storing, op by op, from access facts.
#include "kolam/nest/fusion.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/ops.h"

namespace kolam::nest {
namespace {

/// Computing a cell again costs no more than loading it up to this many operations.
constexpr double kFreeFlops = 4;
/// Cells emitted for one cell of a nest's root; keeps code and compile time bounded.
constexpr double kMaxCells = 96;

struct Cost {
  double flops; ///< of one cell with all producers recomputed
  double cells; ///< emitted for one cell, likewise
};

bool is_literal(mlir::Operation* op) {
  auto constant = llvm::dyn_cast<ir::ConstantOp>(op);
  return constant && !llvm::cast<mlir::DenseElementsAttr>(constant.getValue()).isSplat();
}

} // namespace

bool forms_step(mlir::Operation* op) {
  return llvm::isa<ir::ForOp, ir::WhileOp, ir::CondOp, ir::ScanOp, ir::SortOp, ir::TopKOp,
                   ir::OpaqueCallOp>(op);
}

/// A step of its own is run whole, also where its rows have one cell.
static bool gives_cells(mlir::Operation* op) {
  return !forms_step(op) && analysis::computes_cells(op);
}

Materialized choose_materialized(mlir::Block& block) {
  llvm::DenseMap<mlir::Value, double> reads;
  llvm::DenseMap<mlir::Value, std::string> required;
  for (mlir::Value value : block.getTerminator()->getOperands())
    required[value] = "it is a result";

  // Costs as if everything were recomputed, cut where the nest would grow too large.
  llvm::DenseMap<mlir::Operation*, Cost> costs;
  for (mlir::Operation& op : block.without_terminator()) {
    Cost cost{analysis::flops_per_cell(&op), 1};
    for (mlir::OpOperand& operand : op.getOpOperands()) {
      mlir::Operation* producer = operand.get().getDefiningOp();
      if (!producer || required.contains(operand.get()) || !gives_cells(producer))
        continue;
      if (cost.cells + costs[producer].cells > kMaxCells) {
        required[operand.get()] = "the nest would grow too large";
        continue;
      }
      cost.flops += costs[producer].flops; // one operand cell for one result cell
      cost.cells += costs[producer].cells;
    }
    costs[&op] = cost;
  }

  Materialized result;
  for (mlir::Operation& op : llvm::reverse(block.without_terminator())) {
    std::string reason;
    double most_reads = 0;
    for (mlir::Value value : op.getResults()) {
      most_reads = std::max(most_reads, reads.lookup(value));
      if (reason.empty())
        reason = required.lookup(value);
    }
    bool is_step = forms_step(&op);
    if (!gives_cells(&op))
      reason = "it gives no single cells";
    else if (is_literal(&op))
      reason = "it is a literal";
    else if (reason.empty() && most_reads > 1.001 && costs[&op].flops > kFreeFlops)
      reason = "each cell is read " + std::to_string(static_cast<int64_t>(most_reads + 0.5)) +
               " times and costs " + std::to_string(static_cast<int64_t>(costs[&op].flops)) +
               " operations";
    if (!reason.empty())
      result[&op] = reason;
    double outer = reason.empty() ? std::max(most_reads, 1e-9) : 1;
    for (mlir::OpOperand& operand : op.getOpOperands()) {
      if (is_step)
        required.try_emplace(operand.get(), "a step of its own needs it in memory");
      else
        reads[operand.get()] += outer * analysis::reads_per_cell(&op, operand.getOperandNumber());
    }
  }
  return result;
}

} // namespace kolam::nest
