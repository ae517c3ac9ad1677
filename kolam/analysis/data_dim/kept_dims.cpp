// Follows kept dims from where they come back to the reductions that took them away.
#include "kolam/analysis/data_dim/kept_dims.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/ops.h"
#include "kolam/space/projection_forms.h"

namespace kolam::analysis {
namespace {

using space::kAnyDim;

/// The dims of an op's result that come back, as dims of its operand.
KeptDims dims_given_back(ir::ExpandDimsOp op) {
  KeptDims kept;
  int gap = 0, ordinal = 0;
  for (int dim = 0; dim < ir::rank_of(op.getResult()); ++dim) {
    if (llvm::is_contained(op.getDims(), dim))
      kept.push_back(kept_dim(gap, ordinal++));
    else {
      ++gap;
      ordinal = 0;
    }
  }
  return kept;
}

bool gives_back(ir::ExpandDimsOp op, Keeping keeping) {
  return keeping == Keeping::all || op.getKeepsDims();
}

/// A function of elements: every point reads and writes the element of its own index.
bool is_of_elements(mlir::Operation* op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 || op->getNumRegions() != 0)
    return false;
  auto signed_op = llvm::dyn_cast<ir::SignedOp>(op);
  if (!signed_op || ir::facts_of(op).runs != ir::Runs::elements)
    return false;
  int64_t rank = ir::rank_of(op->getResult(0));
  for (mlir::Value operand : op->getOperands())
    if (ir::data_shape(operand).size() != static_cast<size_t>(rank))
      return false;
  space::Signature signature = signed_op.signature();
  for (const space::IndexDim& dim : signature.dims)
    if (dim.kind != space::DimKind::map)
      return false;
  for (const space::Operand& operand : signature.operands)
    if (!(operand.projection == space::identity(static_cast<int>(rank))))
      return false;
  return true;
}

void add(KeptDimsByValue& kept, mlir::Value value, const KeptDims& dims) {
  KeptDims& known = kept[value];
  bool is_new = false;
  for (int dim : dims)
    if (!llvm::is_contained(known, dim)) {
      known.push_back(dim);
      is_new = true;
    }
  mlir::Operation* op = value.getDefiningOp();
  if (!is_new || !op || !is_of_elements(op))
    return;
  for (mlir::Value operand : op->getOperands())
    add(kept, operand, dims);
}

/// Which kept dim a reduced dim of an operand is.
int kept_dim_of(const space::Signature& signature, const space::Operand& operand, int dim) {
  int gap = 0, ordinal = 0;
  for (int left = 0; left < dim; ++left) {
    int index = copied_dim(operand.projection.map.rows[static_cast<size_t>(left)]);
    bool is_reduced =
        index >= 0 && signature.dims[static_cast<size_t>(index)].kind == space::DimKind::reduce;
    gap += is_reduced ? 0 : 1;
    ordinal = is_reduced ? ordinal + 1 : 0;
  }
  return kept_dim(gap, ordinal);
}

/// The dims that an op takes away from its first operand, as dims of its results.
KeptDims reduced_dims(ir::SignedOp op) {
  KeptDims kept;
  space::Signature signature = op.signature();
  if (signature.operands.empty())
    return kept;
  const space::Operand& operand = signature.operands.front();
  for (auto [dim, row] : llvm::enumerate(operand.projection.map.rows)) {
    int index = copied_dim(row);
    if (index >= 0 && signature.dims[static_cast<size_t>(index)].kind == space::DimKind::reduce)
      kept.push_back(kept_dim_of(signature, operand, static_cast<int>(dim)));
  }
  return kept;
}

void add_behind(KeptDimsByValue& kept, mlir::Value value, const KeptDims& dims) {
  if (dims.empty())
    return;
  add(kept, value, dims);
  for (mlir::Operation* user : value.getUsers())
    if (is_of_elements(user))
      add_behind(kept, user->getResult(0), dims);
}

/// Places of operands and results that may have a D, those of rank 0 among them.
struct Places {
  std::vector<space::DataDimPlace> places;
  std::vector<size_t> operands; ///< numbers in the signature
};

Places places_of(mlir::Operation* op, const KeptDimsByValue& kept,
                 const std::function<bool(mlir::Value)>& is_constant) {
  Places all;
  auto add = [&](space::DataDimPlace place, mlir::Value value, size_t number) {
    if (is_constant(value) || (ir::data_shape(value).empty() && !kept.contains(value)))
      return;
    all.places.push_back(place);
    all.operands.push_back(number);
  };
  for (auto [number, value] : llvm::enumerate(op->getOperands()))
    add(ir::operand_place(number), value, number);
  for (auto [number, value] : llvm::enumerate(op->getResults()))
    add(ir::result_place(number), value, op->getNumOperands() + number);
  return all;
}

/// The table with more places, at which its rows ask for none.
void extend(space::DataDimTable& table, const Places& all) {
  if (table.places.empty() && table.rows.empty())
    table.rows.push_back({}); // scalars without D
  for (const space::DataDimPlace& place : all.places) {
    if (llvm::is_contained(table.places, place))
      continue;
    table.places.push_back(place);
    for (space::DataDimRow& row : table.rows)
      row.dims.push_back(kAnyDim);
  }
}

space::DataDimRow row_with(const space::DataDimTable& table, space::DataDimCost cost) {
  return {std::vector<int>(table.places.size(), kAnyDim), cost};
}

int& at(const space::DataDimTable& table, space::DataDimRow& row,
        const space::DataDimPlace& place) {
  return row.dims[static_cast<size_t>(llvm::find(table.places, place) - table.places.begin())];
}

/// D is a reduced dim: the results have it as a kept one.
void add_reductions(mlir::Operation* op, const Places& all, const KeptDims& wanted,
                    space::DataDimTable& table) {
  space::Signature signature = llvm::cast<ir::SignedOp>(op).signature();
  if (signature.operands.size() != op->getNumOperands() + op->getNumResults())
    return;
  for (size_t index = 0; index < signature.dims.size(); ++index) {
    if (signature.dims[index].kind != space::DimKind::reduce)
      continue;
    space::DataDimRow row = row_with(table, space::DataDimCost::compute);
    int kept = -1;
    bool is_walked = true;
    for (auto [place, number] : llvm::zip(all.places, all.operands)) {
      if (place.kind != space::DataDimPlace::Kind::operand)
        continue;
      const space::Operand& operand = signature.operands[number];
      int walked = -1;
      for (auto [dim, own] : llvm::enumerate(operand.projection.map.rows))
        if (copied_dim(own) == static_cast<int>(index))
          walked = static_cast<int>(dim);
      if (walked < 0) {
        is_walked = false;
        continue;
      }
      at(table, row, place) = walked;
      kept = kept_dim_of(signature, operand, walked);
    }
    if (!is_walked || !llvm::is_contained(wanted, kept))
      continue;
    for (const space::DataDimPlace& place : all.places)
      if (place.kind == space::DataDimPlace::Kind::result)
        at(table, row, place) = kept;
    table.rows.push_back(std::move(row));
  }
}

} // namespace

KeptDimsByValue find_kept_dims(mlir::Region& region, Keeping keeping) {
  KeptDimsByValue kept;
  region.walk([&](ir::ExpandDimsOp op) {
    if (gives_back(op, keeping))
      add(kept, op.getOperand(), dims_given_back(op));
  });
  if (keeping == Keeping::all)
    region.walk([&](ir::SignedOp op) {
      if (op->getNumOperands() > 0 && op->getNumResults() > 0)
        add_behind(kept, op->getResult(0), reduced_dims(op));
    });
  return kept;
}

void add_kept_rows(mlir::Operation* op, const KeptDimsByValue& kept,
                   const std::function<bool(mlir::Value)>& is_constant, Keeping keeping,
                   space::DataDimTable& table) {
  auto has_kept = [&](mlir::Value value) { return kept.contains(value); };
  if (llvm::none_of(op->getOperands(), has_kept) && llvm::none_of(op->getResults(), has_kept))
    return;
  Places all = places_of(op, kept, is_constant);
  extend(table, all);
  if (auto expand = llvm::dyn_cast<ir::ExpandDimsOp>(op); expand && gives_back(expand, keeping)) {
    KeptDims dims = dims_given_back(expand);
    if (is_constant(expand.getOperand()))
      return;
    for (auto [number, dim] : llvm::enumerate(expand.getDims())) {
      space::DataDimRow row = row_with(table, space::DataDimCost::free);
      at(table, row, ir::operand_place(0)) = dims[number];
      at(table, row, ir::result_place(0)) = static_cast<int>(dim);
      table.rows.push_back(std::move(row));
    }
    return;
  }
  if (op->getNumResults() == 0 || !has_kept(op->getResult(0)))
    return;
  const KeptDims& wanted = kept.find(op->getResult(0))->second;
  if (!is_of_elements(op)) {
    add_reductions(op, all, wanted, table);
    return;
  }
  for (int dim : wanted)
    table.rows.push_back({std::vector<int>(table.places.size(), dim), space::DataDimCost::compute});
}

} // namespace kolam::analysis
