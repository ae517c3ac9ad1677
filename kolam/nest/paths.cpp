// Follows root dims to inputs.
#include "kolam/nest/paths.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/reduction.h"
#include "kolam/support/accumulate.h"

#include <numeric>

namespace kolam::nest {

Paths::Paths(const Nest& nest) : nest_(nest) { follow(nest.root, identity()); }

Copies Paths::identity() const {
  Copies own(ir::rank_of(nest_.root->getResult(0)));
  std::iota(own.begin(), own.end(), 0);
  return own;
}

bool Paths::is_at_own_index(mlir::Operation* op) const {
  Copies own = identity();
  return llvm::all_of(seen_, [&](const auto& use) { return use.first != op || use.second == own; });
}

void Paths::follow(mlir::Operation* op, const Copies& result) {
  if (!seen_.emplace(op, result).second)
    return;
  space::Signature signature = llvm::cast<ir::SignedOp>(op).signature();
  Copies index(signature.dims.size(), kElsewhere);
  const auto& rows = signature.operands.back().projection.map.rows;
  for (size_t dim = 0; dim < rows.size() && dim < result.size(); ++dim)
    if (int copied = analysis::copied_dim(rows[dim]); copied >= 0)
      index[copied] = result[dim];
  for (auto [number, value] : llvm::enumerate(op->getOperands())) {
    const space::Operand& operand = signature.operands[number];
    Copies copies;
    for (const space::AffineRow& row : operand.projection.map.rows) {
      int copied = analysis::copied_dim(row);
      bool is_fixed = space::is_constant(row) && !operand.indirect;
      copies.push_back(copied >= 0 ? index[copied] : is_fixed ? kConstant : kElsewhere);
    }
    if (llvm::is_contained(nest_.inputs, value))
      reads_.push_back(copies);
    else if (mlir::Operation* producer = value.getDefiningOp())
      follow(producer, copies);
  }
}

static bool reduces_by_chunks(mlir::Operation* op) {
  if (auto reduce = llvm::dyn_cast<ir::ReduceOp>(op))
    return ir::reduction_of(reduce).accumulate.order == Order::chunk;
  auto pattern = llvm::dyn_cast<ir::ZipMapReduceOp>(op);
  auto reduction = pattern ? ir::reduction_of(pattern) : std::nullopt;
  return reduction && reduction->accumulate.order == Order::chunk;
}

std::vector<mlir::Operation*> column_reductions(const Nest& nest, const Paths& paths) {
  std::vector<mlir::Operation*> together;
  auto add = [&](mlir::Operation* op) {
    if (reduces_by_chunks(op) && ir::rank_of(op->getResult(0)) > 0 && paths.is_at_own_index(op))
      together.push_back(op);
  };
  for (mlir::Operation* op : llvm::reverse(nest.fused))
    add(op);
  add(nest.root);
  return together;
}

} // namespace kolam::nest
