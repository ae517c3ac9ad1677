// Block specs as attributes.
#include "kolam/ir/block_spec.h"

#include "kolam/ir/dialect.h"

#include <array>

namespace kolam::ir {

static constexpr std::array<llvm::StringLiteral, 3> kKinds = {"blocked", "squeezed", "element"};

Shape BlockSpec::ref_shape() const {
  Shape shape;
  for (const BlockDim& dim : dims)
    if (dim.kind != BlockKind::squeezed)
      shape.push_back(dim.size);
  return shape;
}

mlir::DictionaryAttr BlockSpec::to_attr(mlir::MLIRContext* context) const {
  mlir::Builder b(context);
  llvm::SmallVector<mlir::Attribute> kinds;
  llvm::SmallVector<int64_t> low, high;
  Shape sizes;
  for (const BlockDim& dim : dims) {
    kinds.push_back(b.getStringAttr(kKinds[static_cast<size_t>(dim.kind)]));
    sizes.push_back(dim.size);
    low.push_back(dim.low);
    high.push_back(dim.high);
  }
  return b.getDictionaryAttr({b.getNamedAttr("kinds", b.getArrayAttr(kinds)),
                              b.getNamedAttr("sizes", ExtentsAttr::of(context, sizes)),
                              b.getNamedAttr("low", b.getDenseI64ArrayAttr(low)),
                              b.getNamedAttr("high", b.getDenseI64ArrayAttr(high)),
                              b.getNamedAttr("pad", pad),
                              b.getNamedAttr("padded", b.getBoolAttr(is_padded))});
}

std::optional<BlockSpec> BlockSpec::from_attr(mlir::Attribute attr) {
  auto fields = llvm::dyn_cast<mlir::DictionaryAttr>(attr);
  if (!fields)
    return std::nullopt;
  auto kinds = fields.getAs<mlir::ArrayAttr>("kinds");
  auto sizes = fields.getAs<ExtentsAttr>("sizes");
  auto low = fields.getAs<mlir::DenseI64ArrayAttr>("low");
  auto high = fields.getAs<mlir::DenseI64ArrayAttr>("high");
  auto pad = fields.getAs<mlir::DenseElementsAttr>("pad");
  if (!kinds || !sizes || !low || !high || !pad)
    return std::nullopt;
  Shape extents = sizes.shape();
  const size_t rank = kinds.size();
  if (extents.size() != rank || static_cast<size_t>(low.size()) != rank ||
      static_cast<size_t>(high.size()) != rank)
    return std::nullopt;
  auto padded = fields.getAs<mlir::BoolAttr>("padded");
  BlockSpec spec{{}, pad, padded && padded.getValue()};
  for (size_t dim = 0; dim < rank; ++dim) {
    auto kind = llvm::dyn_cast<mlir::StringAttr>(kinds[dim]);
    auto* found = kind ? llvm::find(kKinds, kind.getValue()) : kKinds.end();
    if (found == kKinds.end())
      return std::nullopt;
    spec.dims.push_back({static_cast<BlockKind>(found - kKinds.begin()), extents[dim],
                         low.asArrayRef()[dim], high.asArrayRef()[dim]});
  }
  return spec;
}

} // namespace kolam::ir
