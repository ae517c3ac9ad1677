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
  if (op->getNumResults() == 0)
    return 1;
  if (auto contract = llvm::dyn_cast<ir::ContractOp>(op)) {
    auto spec = *ir::parse_contract_spec(contract.getSpec());
    return count(spec.extents(ir::shape_of(contract.getLhs()), ir::shape_of(contract.getRhs()))) /
           cells;
  }
  if (auto convolution = llvm::dyn_cast<ir::ConvolutionOp>(op)) {
    Shape window = ir::shape_of(convolution.getFilter());
    window.pop_back();
    return count(ir::shape_of(convolution.getResult())) * count(window) / cells;
  }
  double results = count(ir::shape_of(op->getResult(0)));
  if (auto gather = llvm::dyn_cast<ir::GatherOp>(op); gather && number == 1)
    return results * static_cast<double>(gather.getDims().size()) / cells;
  if (auto scatter = llvm::dyn_cast<ir::ScatterOp>(op)) {
    unsigned captures = op->getNumOperands() - scatter.getCaptures().size();
    return number < captures ? 1 : count(ir::shape_of(scatter.getUpdates()[0])) / cells;
  }
  // Both words of a key are read for each number, and both of key and counter for each word.
  if (llvm::isa<ir::RandomBitsOp, ir::RandomBlockOp>(op))
    return 2 * results / cells;
  return results / cells;
}

double flops_per_cell(mlir::Operation* op) {
  if (llvm::isa<ir::ContractOp>(op))
    return 2 * reads_per_cell(op, 0);
  if (llvm::isa<ir::RandomBitsOp, ir::RandomBlockOp>(op))
    return kRandomFlops;
  if (auto gather = llvm::dyn_cast<ir::GatherOp>(op))
    return 2 * static_cast<double>(gather.getDims().size());
  if (auto convolution = llvm::dyn_cast<ir::ConvolutionOp>(op)) {
    Shape window = ir::shape_of(convolution.getFilter());
    window.pop_back();
    return 2 * count(window);
  }
  return llvm::isa<ir::ElementwiseOp>(op) ? 1 : 0;
}

bool computes_cells(mlir::Operation* op) {
  return llvm::isa<ir::BitcastOp, ir::BroadcastOp, ir::CastOp, ir::ConstantOp, ir::ContractOp,
                   ir::ConvolutionOp, ir::ElementwiseOp, ir::ExtentOp, ir::GatherOp, ir::IotaOp,
                   ir::RandomBitsOp, ir::RandomBlockOp>(op);
}

} // namespace kolam::analysis
