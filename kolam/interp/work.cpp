// Counts index points by signatures.
#include "kolam/interp/work.h"

namespace kolam::interp {

static double points_of(const Datum& datum) {
  if (const auto* list = std::get_if<List>(&datum))
    return static_cast<double>(list->leaf_count());
  if (const auto* ref = std::get_if<Ref>(&datum))
    return static_cast<double>(ref->places.size());
  return static_cast<double>(std::get<Array>(datum).size());
}

void spend(const Options& options, double points) {
  if (!options.work_left)
    return;
  if (points > static_cast<double>(*options.work_left))
    throw OutOfWork();
  *options.work_left -= static_cast<int64_t>(points);
}

/// The index points of an op on tensors; those of an op on lists are its elements, which count as
/// they are made and when their bodies run.
static double index_points(mlir::Operation* op, const Evaluation& e) {
  auto is_list = [](mlir::Type type) { return llvm::isa<ir::ListType>(type); };
  auto signed_op = llvm::dyn_cast<ir::SignedOp>(op);
  if (!signed_op || llvm::any_of(op->getOperandTypes(), is_list))
    return 0;
  double points = 1;
  for (const space::IndexDim& dim : signed_op.signature().dims)
    points *= static_cast<double>(e.size(dim.extent));
  return points;
}

void spend_before(mlir::Operation* op, const Evaluation& e) {
  double points = kOpPoints + index_points(op, e);
  for (mlir::Value operand : op->getOperands())
    if (!llvm::isa<ir::ListType>(operand.getType()))
      points += points_of(e.get_datum(operand));
  spend(e.options(), points);
}

void spend_after(mlir::Operation* op, const Evaluation& e) {
  for (mlir::Value result : op->getResults())
    if (llvm::isa<ir::ListType>(result.getType()))
      spend(e.options(), points_of(e.get_list(result)));
}

} // namespace kolam::interp
