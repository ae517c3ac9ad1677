// Finds joined dims by the signatures of a nest's ops.
#include "kolam/nest/joined_dims.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/reshape_groups.h"

namespace kolam::nest {
namespace {

/// Whether both dims lie in one group of a reshape, whose elements are counted through.
bool counts_through(ir::ReshapeOp op, int64_t dim) {
  auto first = static_cast<size_t>(dim);
  return llvm::any_of(
      ir::reshape_groups(ir::shape_of(op.getOperand()), ir::shape_of(op.getResult())),
      [&](const ir::ReshapeGroup& group) {
        return group.to.first <= first && first + 1 < group.to.first + group.to.count;
      });
}

/// Of a row, the coefficient of an index dim.
int64_t coefficient(const space::AffineRow& row, int64_t dim) {
  return static_cast<size_t>(dim) < row.coefficients.size() ? row.coefficients[dim] : 0;
}

} // namespace

JoinedDims::JoinedDims(const Nest& nest) : nest_(nest) {
  inputs_.insert(nest.inputs.begin(), nest.inputs.end());
}

bool JoinedDims::joins(mlir::Value value, int64_t dim) {
  auto [known, is_new] = known_.try_emplace({value, dim}, false);
  if (!is_new)
    return known->second;
  bool found = find(value, dim);
  return known_[{value, dim}] = found;
}

bool JoinedDims::find(mlir::Value value, int64_t dim) {
  Shape shape = ir::shape_of(value);
  if (const space::Layout* layout = nest_.layout_of(value);
      layout && !(layout->strides[dim] == layout->strides[dim + 1] * shape[dim + 1]))
    return false;
  if (inputs_.contains(value) || shape[dim] == Extent(1))
    return true;
  mlir::Operation* op = value.getDefiningOp();
  if (!op || shape[dim + 1] == Extent(1)) // ops may pass over a dim of one element
    return false;
  if (auto reshape = llvm::dyn_cast<ir::ReshapeOp>(op); reshape && counts_through(reshape, dim))
    return true;
  if (auto slice = llvm::dyn_cast<ir::DynamicSliceOp>(op)) // a whole dim starts at 0
    return shape[dim + 1] == ir::shape_of(slice.getOperand())[dim + 1] &&
           joins(slice.getOperand(), dim);
  auto signed_op = llvm::dyn_cast<ir::SignedOp>(op);
  if (!signed_op)
    return false;
  space::Signature signature = signed_op.signature();
  const auto& rows = analysis::first_result(signature).projection.map.rows;
  if (signature.opaque || static_cast<size_t>(dim) + 1 >= rows.size())
    return false; // a loop or branch of a body: what it gives lies in memory
  int first = analysis::copied_dim(rows[dim]);
  return first >= 0 && analysis::copied_dim(rows[dim + 1]) == first + 1 && joins_index(op, first);
}

bool JoinedDims::joins_index(mlir::Operation* op, int64_t dim) {
  if (ir::facts_of(op).reads_index)
    return false;
  space::Signature signature = llvm::cast<ir::SignedOp>(op).signature();
  if (signature.opaque || signature.dims[dim + 1].extent == Extent(1))
    return false;
  for (auto [number, value] : llvm::enumerate(op->getOperands())) {
    const space::Operand& operand = signature.operands[number];
    const auto& rows = operand.projection.map.rows;
    std::vector<int64_t> moving;
    for (size_t row = 0; row < rows.size(); ++row)
      if (coefficient(rows[row], dim) != 0 || coefficient(rows[row], dim + 1) != 0)
        moving.push_back(static_cast<int64_t>(row));
    if (operand.indirect)
      return false;
    if (moving.empty())
      continue;
    bool is_passed = moving.size() == 2 && moving[1] == moving[0] + 1 &&
                     analysis::copied_dim(rows[moving[0]]) == dim &&
                     analysis::copied_dim(rows[moving[1]]) == dim + 1 &&
                     operand.shape[moving[0]] == signature.dims[dim].extent &&
                     operand.shape[moving[1]] == signature.dims[dim + 1].extent;
    if (!is_passed || !joins(value, moving[0]))
      return false;
  }
  return true;
}

int64_t JoinedDims::first_joined(mlir::Value value) {
  int64_t first = ir::rank_of(value) - 1;
  while (first > 0 && joins(value, first - 1))
    --first;
  return first;
}

} // namespace kolam::nest
