// Collects the symbols of a nest.
#include "kolam/nest/symbols.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/reduction.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/nest/relation.h"
#include "kolam/nest/scattered_elements.h"

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

std::vector<Size> sizes_of(const std::vector<std::string>& symbols) {
  std::vector<Size> sizes;
  for (const std::string& symbol : symbols)
    sizes.push_back(Extent::symbol(symbol));
  return sizes;
}

/// Batches act in order: what calls share is dims of the results.
static Extent scattered_range(mlir::Operation* root) {
  analysis::SharedDims shared = analysis::shared_dims(root);
  Shape shape = ir::shape_of(root->getResult(0));
  if (shared.outermost || shares_results(llvm::cast<ir::ScatterOp>(root)))
    return shape[0];
  return shared.are_wide ? element_count(Shape(shape.end() - shared.trailing, shape.end()))
                         : Extent(1);
}

static bool has_loop(mlir::Operation* op) {
  return llvm::any_of(llvm::cast<ir::SignedOp>(op).signature().dims,
                      [](const space::IndexDim& dim) { return dim.kind != space::DimKind::map; });
}

/// Whether each part of a dim would run loops of fused ops again, as these go over other dims.
static bool repeats_loops(const Nest& nest, int64_t dim) {
  if (dim == 0 || llvm::none_of(nest.fused, has_loop))
    return false;
  analysis::Signatures signatures;
  NestRelation relation(nest.root, nest.fused, signatures);
  return llvm::any_of(nest.fused, [&](mlir::Operation* op) {
    return has_loop(op) && !relation.always_varies(op, dim);
  });
}

std::optional<int64_t> parallel_dim(const Nest& nest) {
  mlir::Operation* root = nest.root;
  if (!analysis::writes_own_cells(root) || root->getNumResults() == 0)
    return std::nullopt;
  space::Signature signature = llvm::cast<ir::SignedOp>(root).signature();
  const space::Projection& result = signature.operands[root->getNumOperands()].projection;
  std::optional<int64_t> of_one_cell;
  for (int64_t dim = 0; dim < ir::rank_of(root->getResult(0)); ++dim) {
    space::AffineRow own = ir::row(result.index_rank(), {{dim}});
    if (static_cast<size_t>(dim) >= signature.dims.size() || result.map.rows[dim] != own)
      break;
    if (signature.dims[dim].kind != space::DimKind::map || repeats_loops(nest, dim))
      continue;
    if (signature.dims[dim].extent != Extent(1))
      return dim;
    of_one_cell = of_one_cell.value_or(dim);
  }
  return of_one_cell;
}

Extent parallel_extent(const Nest& nest) {
  auto signed_op = llvm::dyn_cast<ir::SignedOp>(nest.root);
  if (auto tasks = signed_op ? signed_op.task_count() : std::nullopt)
    return *tasks;
  if (llvm::isa<ir::ScatterOp>(nest.root))
    return scattered_range(nest.root);
  std::optional<int64_t> dim = parallel_dim(nest);
  return dim ? ir::shape_of(nest.root->getResult(0))[*dim] : Extent(1);
}

} // namespace kolam::nest
