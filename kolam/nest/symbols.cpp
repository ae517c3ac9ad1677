// Collects the symbols of a nest.
#include "kolam/nest/symbols.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/reduction.h"

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
  auto cumulative = llvm::dyn_cast<ir::CumulativeOp>(root);
  bool in_lines = cumulative && cumulative.getDim() > 0;
  if (root->getNumResults() == 0 || (!analysis::computes_cells(root) && !in_lines))
    return 1;
  Shape shape = ir::shape_of(root->getResult(0));
  return shape.empty() ? Extent(1) : shape[0];
}

} // namespace kolam::nest
