// kolam.unpack: the leaves and offsets of a list.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/list_expectations.h"
#include "kolam/ir/ops.h"

namespace kolam::ir {

llvm::LogicalResult UnpackOp::verify() {
  auto type = llvm::cast<ListType>(getList().getType());
  auto depth = static_cast<size_t>(type.depth());
  if (failed(expect_count(*this, getSymbols().size(), depth, "symbols")) ||
      failed(expect_count(*this, getOffsets().size(), depth - 1, "offsets")))
    return mlir::failure();
  Shape counts;
  for (mlir::Attribute attr : getSymbols()) {
    llvm::StringRef name = llvm::cast<mlir::StringAttr>(attr).getValue();
    auto extent = Extent::parse(name);
    if (!extent || extent->as_symbol() != name)
      return emitOpError("expected the name of a symbol, but got '") << name << "'";
    counts.push_back(*extent);
  }
  for (auto [level, offsets] : llvm::enumerate(getOffsets()))
    if (failed(expect_type(*this, offsets,
                           tensor_type(getContext(), DType::i64, {counts[level] + Extent(1)}),
                           "the offsets of level " + llvm::Twine(level))))
      return mlir::failure();
  Shape leaves = shape_of(type.leaf());
  leaves.insert(leaves.begin(), counts.back());
  return expect_type(*this, getLeaves(), tensor_type(getContext(), dtype_of(type.leaf()), leaves),
                     "the leaves");
}

space::Signature UnpackOp::signature() { return opaque_signature(*this); }

/// D is a dim of the leaf, or the elements' where leaves are scalars.
std::vector<space::DataDimTable> UnpackOp::data_dim_rows(const space::DataDimQuestion&) {
  std::vector<DimChoice> choices;
  int rank = static_cast<int>(data_shape(getList()).size());
  for (int dim = 0; dim < rank; ++dim)
    choices.push_back({{dim, dim + 1}});
  if (rank == 0)
    choices.push_back({{space::kAnyDim, 0}});
  return {table_of({operand_place(0), result_place(0)}, choices)};
}

} // namespace kolam::ir
