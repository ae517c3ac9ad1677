// Reads views from signatures.
#include "kolam/analysis/views.h"

#include "kolam/ir/ops.h"

namespace kolam::analysis {

std::optional<space::AffineMap> view_of_operand(mlir::Operation* op) {
  if (ir::facts_of(op).view != ir::View::by_map)
    return std::nullopt;
  space::Signature signature = llvm::cast<ir::SignedOp>(op).signature();
  const space::Operand& operand = signature.operands[0];
  const space::AffineMap& map = operand.projection.map;
  return !operand.indirect && space::is_affine(map) ? std::optional(map) : std::nullopt;
}

bool is_view_by_data(mlir::Operation* op) { return ir::facts_of(op).view == ir::View::by_data; }

} // namespace kolam::analysis
