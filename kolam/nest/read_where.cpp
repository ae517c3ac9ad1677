// Follows the one use of a product to a `where`.
#include "kolam/nest/read_where.h"

#include "kolam/ir/ops.h"
#include "kolam/nest/relation.h"
#include "kolam/support/elementwise.h"

namespace kolam::nest {
namespace {

/// Whether nothing that computes `value` in the nest sums or has a body.
bool is_by_elements(mlir::Value value, llvm::ArrayRef<mlir::Operation*> members,
                    analysis::Signatures& signatures) {
  mlir::Operation* op = value.getDefiningOp();
  if (!op || !llvm::is_contained(members, op))
    return true; // in memory
  auto is_map = [](const space::IndexDim& dim) { return dim.kind == space::DimKind::map; };
  return op->getNumRegions() == 0 && llvm::all_of(signatures.of(op).dims, is_map) &&
         llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
           return is_by_elements(operand, members, signatures);
         });
}

} // namespace

std::optional<ReadWhere> read_where(const Product& product, const Nest& nest) {
  constexpr int64_t kFewTerms = 16; // assumed: as many steps cost no more than asking
  if (summed_count(product).constant().value_or(kFewTerms) < kFewTerms)
    return std::nullopt;
  analysis::Signatures signatures;
  NestRelation relation(nest.root, nest.fused, signatures);
  std::vector<mlir::Operation*> members{nest.root};
  members.insert(members.end(), nest.fused.begin(), nest.fused.end());
  for (mlir::Value value = product.op->getResult(0); value.hasOneUse();) {
    mlir::OpOperand& use = *value.getUses().begin();
    auto op = llvm::dyn_cast<ir::ElementwiseOp>(use.getOwner());
    if (!op || !llvm::is_contained(members, op) || !relation.is_at_own_index(op))
      return std::nullopt;
    if (parse_fn(op.getFunction()) == Fn::where && use.getOperandNumber() > 0) {
      mlir::Value condition = op->getOperand(0);
      if (!is_by_elements(condition, members, signatures))
        return std::nullopt;
      return ReadWhere{condition, use.getOperandNumber() == 1};
    }
    value = op->getResult(0);
  }
  return std::nullopt;
}

} // namespace kolam::nest
