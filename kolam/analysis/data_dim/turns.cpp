// Counts the turns of loops.
#include "kolam/analysis/data_dim/turns.h"

#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::analysis {

std::optional<int64_t> number_of(mlir::Value value) {
  auto constant = value.getDefiningOp<ir::ConstantOp>();
  auto elements = constant ? llvm::dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue())
                           : mlir::DenseIntElementsAttr();
  if (!elements || elements.getNumElements() != 1)
    return std::nullopt;
  return (*elements.begin()).getSExtValue();
}

bool has_programs(mlir::Operation* op) {
  ir::Bodies bodies = ir::facts_of(op).bodies;
  return bodies == ir::Bodies::once || bodies == ir::Bodies::in_turn ||
         bodies == ir::Bodies::of_lists;
}

double turns_of(mlir::Operation* op) {
  if (ir::facts_of(op).bodies == ir::Bodies::once)
    return 1;
  if (auto loop = llvm::dyn_cast<ir::ForOp>(op)) {
    auto lower = number_of(loop.getLower()), upper = number_of(loop.getUpper());
    return lower && upper ? std::max<double>(1, static_cast<double>(*upper - *lower))
                          : kUnknownTurns;
  }
  if (auto scan = llvm::dyn_cast<ir::ScanOp>(op))
    return std::max(1.0, ir::rough_count(scan.getLength().shape()));
  if (auto call = llvm::dyn_cast<ir::KernelCallOp>(op))
    return std::max(1.0, ir::rough_count(call.getGrid().shape()));
  return kUnknownTurns;
}

} // namespace kolam::analysis
