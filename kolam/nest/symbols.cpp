// Collects the symbols of a nest.
#include "kolam/nest/symbols.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/reduction.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::nest {
namespace {

void add_symbols(const Shape& shape, std::set<std::string>& symbols) {
  for (const Extent& extent : shape)
    symbols.merge(extent.symbols());
}

void add_symbols(mlir::Operation* op, std::set<std::string>& symbols) {
  for (mlir::Value value : op->getOperands())
    add_symbols(ir::shape_of(value), symbols);
  for (mlir::Value value : op->getResults())
    add_symbols(ir::shape_of(value), symbols);
  for (mlir::NamedAttribute attr : op->getAttrs())
    if (auto extents = llvm::dyn_cast<ir::ExtentsAttr>(attr.getValue()))
      add_symbols(extents.shape(), symbols);
  if (auto extent = llvm::dyn_cast<ir::ExtentOp>(op))
    symbols.merge(Extent::parse(extent.getExpression())->symbols());
}

/// The symbols of `op` and its regions that are bound outside.
void add_nested_symbols(mlir::Operation* op, std::set<std::string>& symbols) {
  add_symbols(op, symbols);
  for (mlir::Region& region : op->getRegions())
    if (!ir::binds_chunk(region))
      for (mlir::Operation& inner : region.getOps())
        if (!llvm::isa<ir::YieldOp>(inner))
          add_nested_symbols(&inner, symbols);
}

} // namespace

std::vector<std::string> symbols_of(const Nest& nest) {
  std::set<std::string> symbols;
  add_nested_symbols(nest.root, symbols);
  for (mlir::Operation* op : nest.fused)
    add_nested_symbols(op, symbols);
  return {symbols.begin(), symbols.end()};
}

Extent parallel_extent(mlir::Operation* root) {
  auto signed_op = llvm::dyn_cast<ir::SignedOp>(root);
  if (auto tasks = signed_op ? signed_op.task_count() : std::nullopt)
    return *tasks;
  if (!analysis::writes_own_cells(root))
    return 1;
  space::Signature signature = llvm::cast<ir::SignedOp>(root).signature();
  if (signature.dims.empty() || signature.dims[0].kind != space::DimKind::map ||
      ir::rank_of(root->getResult(0)) == 0)
    return 1;
  const space::Operand& result = signature.operands[root->getNumOperands()];
  space::AffineRow own = ir::row(result.projection.index_rank(), {{0}});
  return result.projection.map.rows[0] == own ? signature.dims[0].extent : Extent(1);
}

} // namespace kolam::nest
