// kolam.pack: a list from its leaves and offsets.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/list_expectations.h"
#include "kolam/ir/ops.h"

namespace kolam::ir {

llvm::LogicalResult PackOp::verify() {
  Shape leaves = shape_of(getLeaves());
  if (failed(expect_at_least(*this, static_cast<int64_t>(leaves.size()), 1, "dims of the leaves")))
    return mlir::failure();
  mlir::Type type =
      tensor_type(getContext(), dtype_of(getLeaves()), Shape(leaves.begin() + 1, leaves.end()));
  for (size_t level = 0; level < getOffsets().size() + 1; ++level) {
    type = ListType::getChecked([&] { return emitOpError(); }, getContext(), type);
    if (!type)
      return mlir::failure();
  }
  for (auto [level, offsets] : llvm::enumerate(getOffsets())) {
    std::string what = "the offsets of level " + std::to_string(level);
    if (failed(expect_rank(*this, offsets, 1, what)) ||
        failed(expect_dtype(*this, offsets, DType::i64, what)))
      return mlir::failure();
  }
  return expect_type(*this, getResult(), type, "the result");
}

space::Signature PackOp::signature() { return opaque_signature(*this); }

/// D is a dim of the leaf, or the elements' where leaves are scalars.
std::vector<space::DataDimTable> PackOp::data_dim_rows(const space::DataDimQuestion&) {
  std::vector<DimChoice> choices;
  int rank = static_cast<int>(data_shape(getResult()).size());
  for (int dim = 0; dim < rank; ++dim)
    choices.push_back({{dim + 1, dim}});
  if (rank == 0)
    choices.push_back({{0, space::kAnyDim}});
  return {table_of({operand_place(0), result_place(0)}, choices)};
}

} // namespace kolam::ir
