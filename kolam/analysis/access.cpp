// Draws access facts from signatures.
#include "kolam/analysis/access.h"

#include "kolam/ir/contract_spec.h"
#include "kolam/ir/reduction.h"

namespace kolam::analysis {
namespace {

double count(const Shape& shape) {
  double product = 1;
  for (const Extent& extent : shape)
    product *= static_cast<double>(extent.constant().value_or(1000));
  return product;
}

/// The cells of the space that one result cell reduces.
double reduced_cells(const Shape& space, llvm::ArrayRef<int64_t> dims) {
  Shape reduced;
  for (int64_t dim : dims)
    reduced.push_back(space[dim]);
  return count(reduced);
}

double region_ops(mlir::Region& region) {
  double ops = 0;
  region.walk([&](mlir::Operation*) { ++ops; });
  return ops;
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
  if (auto pattern = llvm::dyn_cast<ir::ZipMapReduceOp>(op))
    return number < pattern.getInputs().size() ? 1 : count(pattern.getSpace().shape()) / cells;
  if (llvm::isa<ir::ReduceOp>(op))
    return 1;
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
  return results / cells;
}

double flops_per_cell(mlir::Operation* op) {
  if (llvm::isa<ir::ContractOp>(op))
    return 2 * reads_per_cell(op, 0);
  if (auto reduce = llvm::dyn_cast<ir::ReduceOp>(op))
    return reduced_cells(ir::shape_of(reduce.getInputs()[0]), reduce.getDims()) *
           std::max(1.0, region_ops(reduce.getMerge()) + region_ops(reduce.getWrap()));
  if (auto pattern = llvm::dyn_cast<ir::ZipMapReduceOp>(op))
    return reduced_cells(pattern.getSpace().shape(), pattern.getDims()) *
           (region_ops(pattern.getBody()) + region_ops(pattern.getMerge()) +
            region_ops(pattern.getWrap()));
  if (auto gather = llvm::dyn_cast<ir::GatherOp>(op))
    return 2 * static_cast<double>(gather.getDims().size());
  if (auto convolution = llvm::dyn_cast<ir::ConvolutionOp>(op)) {
    Shape window = ir::shape_of(convolution.getFilter());
    window.pop_back();
    return 2 * count(window);
  }
  return llvm::isa<ir::ElementwiseOp, ir::CumulativeOp>(op) ? 1 : 0;
}

bool computes_cells(mlir::Operation* op) {
  return llvm::isa<ir::BroadcastOp, ir::ConstantOp, ir::ContractOp, ir::ConvolutionOp,
                   ir::ElementwiseOp, ir::GatherOp, ir::IterIndexOp, ir::ReduceOp, ir::ZipMapReduceOp>(op);
}

} // namespace kolam::analysis
