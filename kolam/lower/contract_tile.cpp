// Chooses and emits tiles of contractions.
#include "kolam/lower/contract_tile.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/contract_spec.h"
#include "kolam/lower/product.h"

namespace kolam::lower {
namespace {

/// Whether every read of `value` in the nest is at the root's own index.
bool is_read_at_own_index(const nest::Nest& nest, mlir::Operation* op) {
  llvm::DenseSet<mlir::Operation*> elsewhere;
  for (mlir::Operation* consumer : llvm::concat<mlir::Operation* const>(
           llvm::ArrayRef<mlir::Operation*>(nest.root), llvm::ArrayRef(nest.fused)))
    for (mlir::OpOperand& operand : consumer->getOpOperands())
      if (mlir::Operation* producer = operand.get().getDefiningOp())
        if (elsewhere.contains(consumer) ||
            !analysis::reads_own_cell(consumer, operand.getOperandNumber()))
          elsewhere.insert(producer);
  return !elsewhere.contains(op);
}

/// Which result dims a factor's letters lie in.
bool uses(const std::vector<int>& letters, int letter) {
  return llvm::is_contained(letters, letter);
}

} // namespace

TiledContraction choose_tile(const nest::Nest& nest, const Machine& machine) {
  TiledContraction none;
  int64_t rank = ir::rank_of(nest.root->getResult(0));
  if (rank < 2 || nest.root->getNumResults() != 1)
    return none;
  ir::ContractOp found;
  for (mlir::Operation* op : llvm::concat<mlir::Operation* const>(
           llvm::ArrayRef<mlir::Operation*>(nest.root), llvm::ArrayRef(nest.fused)))
    if (auto contract = llvm::dyn_cast<ir::ContractOp>(op)) {
      if (found)
        return none; // the registers hold one tile
      found = contract;
    }
  if (!found || !is_read_at_own_index(nest, found) ||
      ir::accumulate_of(found.getAccumulate()).order == Order::lanes)
    return none;
  ir::ContractSpec spec = *ir::parse_contract_spec(found.getSpec());
  int row = static_cast<int>(rank) - 2, column = row + 1;
  bool plain = uses(spec.lhs, row) && !uses(spec.rhs, row) && uses(spec.rhs, column) &&
               !uses(spec.lhs, column);
  bool swapped = uses(spec.rhs, row) && !uses(spec.lhs, row) && uses(spec.lhs, column) &&
                 !uses(spec.rhs, column);
  if (!plain && !swapped)
    return none;
  // Eight rows of three vectors fill 24 of 32 registers, four of two leave room among 16.
  bool wide = machine.vector_bytes == 64;
  return {found, wide ? 8 : 4, wide ? 3 : 2};
}

void emit_tile(const TiledContraction& tile, llvm::ArrayRef<Index> indices, Emission& e) {
  ir::ContractOp op = tile.op;
  ir::ContractSpec spec = *ir::parse_contract_spec(op.getSpec());
  Shape extents = spec.extents(ir::shape_of(op.getLhs()), ir::shape_of(op.getRhs()));
  Values summed;
  for (int i = spec.result_count; i < spec.index_count; ++i)
    summed.push_back(e.extent(extents[i]));
  Value count = e.i64(1);
  for (Value extent : summed)
    count = e.mul(count, extent);
  int row = static_cast<int>(indices[0].size()) - 2;

  // Each factor once for all cells that share it.
  auto factors = [&](const Coordinate& k) {
    Index places = e.unravel(k, summed);
    auto cells_of = [&](Value operand, const std::vector<int>& letters) {
      bool by_row = uses(letters, row);
      Values cells(indices.size());
      for (size_t i = 0; i < indices.size(); ++i) {
        size_t first = by_row ? i - i % tile.columns : i % tile.columns;
        if (first != i) {
          cells[i] = cells[first];
          continue;
        }
        Index all(indices[i]);
        all.append(places);
        Index picked;
        for (int letter : letters)
          picked.push_back(all[letter]);
        cells[i] = e.cell(operand, picked);
      }
      return cells;
    };
    return std::pair(cells_of(op.getLhs(), spec.lhs), cells_of(op.getRhs(), spec.rhs));
  };
  Values sums = emit_product_sums(ir::dtype_of(op.getLhs()), ir::dtype_of(op.getResult()),
                                  ir::accumulate_of(op.getAccumulate()), count,
                                  static_cast<int>(indices.size()), factors, e);
  for (auto [index, sum] : llvm::zip(indices, sums))
    e.remember(op.getResult(), index, sum);
}

} // namespace kolam::lower
