// Inserts checks of extents.
#include "kolam/driver/program_rules.h"
#include "kolam/ir/ops.h"
#include "kolam/space/region.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kolam::driver {
namespace {

/// Holds for all sizes, so that no run need check it.
bool always_holds(const ir::SizePromise& promise) {
  Extent difference = promise.greater - promise.smaller;
  return max(difference, Extent(0)) == difference;
}

/// What every point reads by its own place lies inside the operand.
void add_bounds(const space::Signature& signature, std::vector<ir::SizePromise>& promises) {
  space::SymbolicBox points{Shape(signature.dims.size()), space::index_shape(signature)};
  for (const space::Operand& operand : signature.operands) {
    if (operand.policy.kind != space::Policy::Kind::forbid || operand.indirect)
      continue;
    space::SymbolicBox touched = space::region(operand.projection, points);
    for (size_t dim = 0; dim < operand.shape.size(); ++dim) {
      if (!space::is_affine(operand.projection.map.rows[dim]))
        continue;
      promises.push_back({0, touched.start[dim]});
      promises.push_back({touched.start[dim] + touched.extent[dim], operand.shape[dim]});
    }
  }
}

std::vector<ir::SizePromise> promises_of(ir::SignedOp op) {
  std::vector<ir::SizePromise> promises = op.size_promises();
  space::Signature signature = op.signature();
  if (!signature.opaque)
    add_bounds(signature, promises);
  for (const space::Operand& result : signature.operands)
    for (const Extent& extent : result.shape)
      promises.push_back({0, extent});
  std::erase_if(promises, always_holds);
  return promises;
}

void insert_check(mlir::ImplicitLocOpBuilder& b, const ir::SizePromise& promise) {
  auto scalar = [&](DType dtype) { return ir::tensor_type(b.getContext(), dtype, {}); };
  auto value = [&](const Extent& extent) -> mlir::Value {
    return ir::ExtentOp::create(b, scalar(DType::i64), b.getStringAttr(extent.to_string()));
  };
  mlir::Value holds =
      ir::ElementwiseOp::create(b, scalar(DType::boolean), b.getStringAttr("less_equal"),
                                mlir::ValueRange{value(promise.smaller), value(promise.greater)});
  ir::CheckOp::create(b, holds, b.getStringAttr("shape-mismatch"),
                      b.getStringAttr("expected " + promise.smaller.to_string() +
                                      " to be at most " + promise.greater.to_string() +
                                      ", but got more"));
}

/// Bodies that run cell by cell are guarded by the op they belong to.
bool runs_cell_by_cell(mlir::Operation* op) {
  return llvm::isa<ir::ReduceOp, ir::ScatterOp, ir::ZipMapReduceOp>(op->getParentOp());
}

} // namespace

void guard_sizes(mlir::ModuleOp module) {
  std::vector<ir::SignedOp> ops;
  module.walk([&](ir::SignedOp op) {
    if (!llvm::isa<ir::YieldOp>(op) && !runs_cell_by_cell(op))
      ops.push_back(op);
  });
  for (ir::SignedOp op : ops) {
    mlir::ImplicitLocOpBuilder builder(op.getLoc(), op);
    for (const ir::SizePromise& promise : promises_of(op))
      insert_check(builder, promise);
  }
}

} // namespace kolam::driver
