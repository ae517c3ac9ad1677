// Follows ids to those who read them.
#include "kolam/nest/segments.h"

namespace kolam::nest {
namespace {

/// Whether element i along the first dim of each result is computed of elements i of the operand,
/// and there are as many: those of a concat may come from another operand.
bool keeps_first_dim(mlir::OpOperand& operand, analysis::Signatures& signatures) {
  mlir::Operation* op = operand.getOwner();
  const Shape own = ir::shape_of(operand.get());
  auto has_as_many = [&](mlir::Value result) {
    const Shape shape = ir::shape_of(result);
    return !own.empty() && !shape.empty() && own[0] == shape[0];
  };
  if (!llvm::isa<ir::ReshapeOp>(op) && !llvm::all_of(op->getResults(), has_as_many))
    return false;
  const space::Signature& signature = signatures.of(op);
  const space::Operand& read = signature.operands[operand.getOperandNumber()];
  auto copies_first = [](const space::Operand& of) {
    return !of.indirect && !of.projection.map.rows.empty() && of.projection.size[0] == Extent(1) &&
           analysis::copied_dim(of.projection.map.rows[0]) == 0;
  };
  return op->getNumResults() > 0 && copies_first(read) &&
         llvm::all_of(signature.operands, [&](const space::Operand& of) {
           return of.role == space::Role::in || copies_first(of);
         });
}

/// Follows a value of ids through ops that keep its first dim, to roots and reductions.
class Readers {
public:
  using Ends = llvm::function_ref<bool(mlir::Operation*)>;
  /// `is_root`: where the way ends. What `is_outside` does not count.
  Readers(mlir::Value offsets, Ends is_root, Ends is_outside, analysis::Signatures& signatures)
      : offsets_(offsets), is_root_(is_root), is_outside_(is_outside), signatures_(signatures) {}

  bool know(mlir::Value value) {
    return llvm::all_of(value.getUses(), [&](mlir::OpOperand& use) {
      mlir::Operation* op = use.getOwner();
      if (is_outside_(op))
        return true;
      if (auto reduce = llvm::dyn_cast<ir::SegmentReduceOp>(op))
        return reduce.getOffsets() == offsets_ && &use != &op->getOpOperand(0);
      if (!llvm::isa<ir::SignedOp>(op) || op->getNumRegions() > 0 || forms_step(op) ||
          !keeps_first_dim(use, signatures_))
        return false;
      return is_root_(op) ? goes_by_elements(op)
                          : op->getNumResults() == 1 && know(op->getResult(0));
    });
  }

private:
  /// Segments cut the first dim: rows behind it must have lanes of their own.
  bool goes_by_elements(mlir::Operation* root) {
    Shape shape = ir::shape_of(root->getResult(0));
    const bool has_rows = shape.size() == 1 || shape.back().constant().value_or(0) >= kWideRun;
    return has_rows && analysis::computes_cells(root, signatures_);
  }

  mlir::Value offsets_;
  Ends is_root_, is_outside_;
  analysis::Signatures& signatures_;
};

} // namespace

ir::SegmentIdsOp ids_of_rows(mlir::Operation* op) {
  auto gather = llvm::dyn_cast<ir::GatherOp>(op);
  if (!gather || gather.getBatchedDims() != 0 || gather.getDims() != llvm::ArrayRef<int64_t>{0} ||
      gather.getLengths() != llvm::ArrayRef<int64_t>{1})
    return {};
  auto column = gather.getIndices().getDefiningOp<ir::ExpandDimsOp>();
  return column ? column.getOperand().getDefiningOp<ir::SegmentIdsOp>() : ir::SegmentIdsOp();
}

bool is_known_in_segments(ir::SegmentIdsOp ids, const Materialized& decided,
                          analysis::Signatures& signatures) {
  auto is_root = [&](mlir::Operation* op) { return decided.contains(op); };
  auto is_outside = [](mlir::Operation*) { return false; };
  return Readers(ids.getOffsets(), is_root, is_outside, signatures).know(ids.getResult());
}

ir::SegmentIdsOp segments_of(const Nest& nest, analysis::Signatures& signatures) {
  if (auto ids = llvm::dyn_cast<ir::SegmentIdsOp>(nest.root))
    return ids;
  auto is_root = [&](mlir::Operation* op) { return op == nest.root; };
  auto is_outside = [&](mlir::Operation* op) {
    return op != nest.root && !llvm::is_contained(nest.fused, op);
  };
  if (!llvm::isa<ir::SegmentReduceOp>(nest.root))
    for (mlir::Operation* op : nest.fused)
      if (auto ids = llvm::dyn_cast<ir::SegmentIdsOp>(op);
          ids && Readers(ids.getOffsets(), is_root, is_outside, signatures).know(ids.getResult()))
        return ids;
  return {};
}

std::vector<mlir::Operation*> reductions_in_segments(const Nest& nest, mlir::Operation* ids) {
  mlir::Value offsets = llvm::cast<ir::SegmentIdsOp>(ids).getOffsets();
  std::vector<mlir::Operation*> found;
  for (mlir::Operation* op : llvm::reverse(nest.fused))
    if (auto reduce = llvm::dyn_cast<ir::SegmentReduceOp>(op);
        reduce && reduce.getOffsets() == offsets && ir::rank_of(reduce.getResult(0)) == 1)
      found.push_back(op);
  return found;
}

bool reduces_segments(const Nest& nest) {
  return llvm::any_of(nest.ops(),
                      [](mlir::Operation* op) { return llvm::isa<ir::SegmentReduceOp>(op); });
}

} // namespace kolam::nest
