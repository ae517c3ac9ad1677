// Finds joined dims by the signatures of a nest's ops.
#include "kolam/nest/joined_dims.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/reduced_dims.h"
#include "kolam/ir/reshape_groups.h"

namespace kolam::nest {
namespace {

/// Where `dim` and the next of a reshape's result lie.
struct GroupsOfPair {
  bool is_one = false; ///< in one group, whose elements are counted through
  /// Or at the border of two: the first and the last operand dim of both.
  int64_t first = -1, last = -1;
};

GroupsOfPair groups_of_pair(ir::ReshapeOp op, int64_t dim) {
  auto first = static_cast<size_t>(dim);
  const Shape from = ir::shape_of(op.getOperand());
  const auto groups = ir::reshape_groups(from, ir::shape_of(op.getResult()));
  auto end = [](const ir::DimRange& range) { return range.first + range.count; };
  for (size_t number = 0; number < groups.size(); ++number) {
    const ir::ReshapeGroup& own = groups[number];
    if (first < own.to.first || first >= end(own.to))
      continue;
    if (first + 1 < end(own.to))
      return {true, -1, -1};
    if (number + 1 == groups.size() || own.from.count == 0)
      break;
    const ir::ReshapeGroup& next = groups[number + 1];
    if (next.to.first != first + 1 || next.to.count == 0 || next.from.count == 0 ||
        next.from.first != end(own.from) || from[next.from.first] == Extent(1) ||
        from[next.from.first - 1] == Extent(1))
      break;
    return {false, static_cast<int64_t>(own.from.first), static_cast<int64_t>(end(next.from)) - 1};
  }
  return {};
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

bool JoinedDims::lies_joined(mlir::Value value, int64_t dim) const {
  const space::Layout* layout = nest_.layout_of(value);
  return !layout || layout->strides[dim] == layout->strides[dim + 1] * ir::shape_of(value)[dim + 1];
}

bool JoinedDims::find(mlir::Value value, int64_t dim) {
  Shape shape = ir::shape_of(value);
  if (!lies_joined(value, dim))
    return false;
  if (inputs_.contains(value) || shape[dim] == Extent(1))
    return true;
  mlir::Operation* op = value.getDefiningOp();
  if (!op || shape[dim + 1] == Extent(1)) // ops may pass over a dim of one element
    return false;
  if (auto reshape = llvm::dyn_cast<ir::ReshapeOp>(op)) {
    const GroupsOfPair groups = groups_of_pair(reshape, dim);
    if (groups.is_one || groups.first < 0)
      return groups.is_one;
    // A third group may be joined as well, whose numbers then go on through all dims of this one.
    for (int64_t from = groups.first; from < groups.last; ++from)
      if (!joins(reshape.getOperand(), from))
        return false;
    return true;
  }
  if (auto slice = llvm::dyn_cast<ir::DynamicSliceOp>(op)) // a whole dim starts at 0
    return shape[dim + 1] == ir::shape_of(slice.getOperand())[dim + 1] &&
           joins(slice.getOperand(), dim);
  auto signed_op = llvm::dyn_cast<ir::SignedOp>(op);
  if (!signed_op)
    return false;
  space::Signature signature = signed_op.signature();
  if (signature.opaque)
    return false; // a loop or branch of a body: what it gives lies in memory
  const auto& rows = analysis::first_result(signature).projection.map.rows;
  if (static_cast<size_t>(dim) + 1 >= rows.size())
    return false;
  int first = analysis::copied_dim(rows[dim]);
  if (first < 0 || analysis::copied_dim(rows[dim + 1]) != first + 1)
    return false;
  // What a scan stacks has its steps in front.
  for (mlir::Value other : op->getResults())
    if (const int64_t behind = ir::rank_of(other) - ir::rank_of(op->getResult(0));
        behind >= 0 && !lies_joined(other, dim + behind))
      return false;
  return joins_index(op, first);
}

/// Whether what an op computes depends on its place along index dim `dim` or the next.
static bool reads_place_along(mlir::Operation* op, int64_t dim) {
  auto pattern = llvm::dyn_cast<ir::ZipMapReduceOp>(op);
  if (!pattern)
    return ir::facts_of(op).reads_index;
  const auto places = ir::index_of_dims(static_cast<int64_t>(pattern.getSpace().getDims().size()),
                                        pattern.getDims());
  return pattern.getBody()
      .walk([&](ir::IterIndexOp index) {
        const int own = places[index.getDim()];
        return own == dim || own == dim + 1 ? mlir::WalkResult::interrupt()
                                            : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

bool JoinedDims::joins_index(mlir::Operation* op, int64_t dim) {
  if (reads_place_along(op, dim))
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
