// Draws access facts from signatures.
#include "kolam/analysis/access.h"

#include "kolam/ir/contract_spec.h"
#include "kolam/ir/ops.h"

namespace kolam::analysis {
namespace {

/// Operations of one block of a generator.
constexpr double kRandomFlops = 80;

double count(const Shape& shape) {
  double product = 1;
  for (const Extent& extent : shape)
    product *= static_cast<double>(extent.constant().value_or(1000));
  return product;
}

} // namespace

double reads_per_cell(mlir::Operation* op, unsigned number) {
  double cells = count(ir::shape_of(op->getOperand(number)));
  if (cells == 0)
    return 0;
  if (auto contract = llvm::dyn_cast<ir::ContractOp>(op)) {
    auto spec = *ir::parse_contract_spec(contract.getSpec());
    return count(spec.extents(ir::shape_of(contract.getLhs()), ir::shape_of(contract.getRhs()))) /
           cells;
  }
  // Both words of a key are read for each number, and both of key and counter for each word.
  double words = llvm::isa<ir::RandomBitsOp, ir::RandomBlockOp>(op) ? 2 : 1;
  return words * count(ir::shape_of(op->getResult(0))) / cells;
}

double flops_per_cell(mlir::Operation* op) {
  if (llvm::isa<ir::ContractOp>(op))
    return 2 * reads_per_cell(op, 0);
  if (llvm::isa<ir::RandomBitsOp, ir::RandomBlockOp>(op))
    return kRandomFlops;
  return llvm::isa<ir::ElementwiseOp>(op) ? 1 : 0;
}

bool computes_cells(mlir::Operation* op) {
  return llvm::isa<ir::BitcastOp, ir::BroadcastOp, ir::CastOp, ir::ConstantOp, ir::ContractOp,
                   ir::ElementwiseOp, ir::ExtentOp, ir::IotaOp, ir::RandomBitsOp,
                   ir::RandomBlockOp>(op);
}

} // namespace kolam::analysis
