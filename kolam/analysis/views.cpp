// Reads views from signatures.
#include "kolam/analysis/views.h"

#include "kolam/ir/ops.h"

namespace kolam::analysis {

std::optional<space::AffineMap> view_of_operand(mlir::Operation* op) {
  if (!llvm::isa<ir::BroadcastOp, ir::ExpandDimsOp, ir::ReverseOp, ir::SliceOp, ir::SqueezeOp,
                 ir::TransposeOp>(op))
    return std::nullopt;
  space::AffineMap map = llvm::cast<ir::SignedOp>(op).signature().operands[0].projection.map;
  return space::is_affine(map) ? std::optional(map) : std::nullopt;
}

bool is_view_by_data(mlir::Operation* op) {
  auto gather = llvm::dyn_cast<ir::GatherOp>(op);
  return gather && gather.getMode() != "fill" && gather.getMode() != "wrap";
}

} // namespace kolam::analysis
