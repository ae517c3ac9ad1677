// Writes ops that add dims as slices stacked on a new axis.
#include "kolam/analysis/data_dim/stacked_slices.h"

#include "kolam/ir/ops.h"
#include "kolam/ir/visit.h"

#include "mlir/IR/Builders.h"

namespace kolam::analysis {
namespace {

/// Where the dims of an op's operand stand in its result; the others are new.
std::vector<size_t> old_dims(ir::BroadcastOp op) {
  return {op.getDims().begin(), op.getDims().end()};
}

std::vector<size_t> old_dims(ir::ExpandDimsOp op) {
  std::vector<size_t> dims;
  for (int64_t dim = 0; dim < ir::rank_of(op.getResult()); ++dim)
    if (!llvm::is_contained(op.getDims(), dim))
      dims.push_back(static_cast<size_t>(dim));
  return dims;
}

std::vector<size_t> old_dims_of(mlir::Operation* op) {
  return ir::visit<std::vector<size_t>>(
      op,
      [](auto typed) {
        if constexpr (requires { old_dims(typed); })
          return old_dims(typed);
        else
          return std::vector<size_t>();
      },
      [](mlir::Operation*) { return std::vector<size_t>(); });
}

mlir::Type with_shape(mlir::Value like, const Shape& shape) {
  return ir::tensor_type(like.getContext(), ir::dtype_of(like), shape);
}

} // namespace

std::vector<NewAxis> new_axes(mlir::Operation* op) {
  std::vector<size_t> old = old_dims_of(op);
  std::vector<NewAxis> found;
  for (size_t dim = 0; dim < old.size(); ++dim) {
    for (size_t axis = old[dim]; axis-- > 0 && !llvm::is_contained(old, axis);)
      found.push_back({dim, axis});
    const auto rank = static_cast<size_t>(ir::rank_of(op->getResult(0)));
    for (size_t axis = old[dim] + 1; axis < rank && !llvm::is_contained(old, axis); ++axis)
      found.push_back({dim, axis});
  }
  return found;
}

void stack_slices(mlir::Operation* op, const NewAxis& at) {
  mlir::OpBuilder b(op);
  const std::vector<size_t> old = old_dims_of(op);
  mlir::Value x = op->getOperand(0), result = op->getResult(0);
  const Shape shape = ir::shape_of(x);
  Shape slice = shape, stacked(static_cast<size_t>(ir::rank_of(result)), Extent(1));
  slice[at.dim] = 1;
  for (size_t dim = 0; dim < old.size(); ++dim)
    stacked[old[dim]] = shape[dim];
  Shape piece = stacked;
  piece[old[at.dim]] = 1;
  std::vector<int64_t> added; // dims of a piece that its slice does not have
  for (size_t dim = 0; dim < piece.size(); ++dim)
    if (dim != at.axis && (dim == old[at.dim] || !llvm::is_contained(old, dim)))
      added.push_back(static_cast<int64_t>(dim));
  llvm::SmallVector<mlir::Value> pieces;
  for (int64_t i = 0; i < *shape[at.dim].constant(); ++i) {
    Shape starts(shape.size(), Extent(0));
    starts[at.dim] = i;
    mlir::Value element = ir::SliceOp::create(
        b, op->getLoc(), with_shape(x, slice), x, ir::ExtentsAttr::of(b.getContext(), starts),
        b.getDenseI64ArrayAttr(llvm::SmallVector<int64_t>(shape.size(), 1)));
    pieces.push_back(ir::ExpandDimsOp::create(b, op->getLoc(), with_shape(x, piece), element,
                                              b.getDenseI64ArrayAttr(added), false));
  }
  mlir::Value all = ir::ConcatOp::create(b, op->getLoc(), with_shape(x, stacked), pieces,
                                         static_cast<uint64_t>(old[at.dim]));
  if (all.getType() != result.getType()) {
    llvm::SmallVector<int64_t> dims;
    for (size_t dim = 0; dim < stacked.size(); ++dim)
      dims.push_back(static_cast<int64_t>(dim));
    all = ir::BroadcastOp::create(b, op->getLoc(), result.getType(), all,
                                  b.getDenseI64ArrayAttr(dims));
  }
  result.replaceAllUsesWith(all);
  op->erase();
}

} // namespace kolam::analysis
