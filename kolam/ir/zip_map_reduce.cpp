// kolam.zip_map_reduce: a scalar body over zipped elements, then an optional reduction.
#include "kolam/ir/expectations.h"
#include "kolam/ir/monoid.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/reduced_dims.h"

namespace kolam::ir {
namespace {

MonoidRegions regions_of(ZipMapReduceOp op) {
  return {op.getZero(), op.getWrap(), op.getMerge(), op.getUnwrap(), op.getWrapAll()};
}

} // namespace

llvm::LogicalResult ZipMapReduceOp::verify() {
  Shape space = getSpace().shape();
  if (failed(expect_at_least(*this, getResults().size(), 1, "result")))
    return mlir::failure();
  if (!getMonoid() && !getDims().empty())
    return emitOpError("expected no dims without a monoid, but got ") << getDims().size();
  for (const Extent& extent : space)
    if (extent.constant().value_or(0) < 0)
      return emitOpError("expected extents >= 0, but got ") << to_string(space);
  return expect_reduction(*this, getInputs(), getResults(), space, getDims(),
                          accumulate_of(getAccumulate()));
}

llvm::LogicalResult ZipMapReduceOp::verifyRegions() {
  llvm::SmallVector<mlir::Type> arguments = scalar_types(getInputs().getTypes());
  llvm::append_range(arguments, getCaptures().getTypes());
  if (failed(expect_arguments(*this, getBody(), arguments, "the body")))
    return mlir::failure();
  mlir::TypeRange yielded = yielded_types(getBody());
  llvm::SmallVector<mlir::Type> scalars = scalar_types(yielded);
  llvm::SmallVector<mlir::Type> results = scalar_types(getResults().getTypes());
  if (failed(expect_yields(*this, getBody(), getMonoid() ? scalars : results, "the body")))
    return mlir::failure();
  MonoidRegions regions = regions_of(*this);
  if (getMonoid())
    return expect_monoid(*this, *getMonoid(), regions, scalars, results);
  for (mlir::Region* region :
       {&regions.zero, &regions.wrap, &regions.merge, &regions.unwrap, &regions.wrap_all})
    if (!region->empty())
      return emitOpError("expected no regions of a monoid without its name");
  return mlir::success();
}

space::Signature ZipMapReduceOp::signature() {
  Shape space = getSpace().shape();
  int rank = static_cast<int>(space.size());
  std::optional<space::Monoid> monoid;
  if (getMonoid())
    monoid = monoid_descriptor(*getMonoid(), getCommutative(), regions_of(*this),
                               yielded_types(getBody()));
  space::Signature signature{name_of(*this), reduction_dims(space, getDims(), monoid), {}};
  std::vector<int> indices = index_of_dims(rank, getDims());
  for (auto [number, input] : llvm::enumerate(getInputs()))
    signature.operands.push_back(
        read("input" + std::to_string(number), input, space::axial(rank, indices, space)));
  for (auto [number, capture] : llvm::enumerate(getCaptures()))
    signature.operands.push_back(
        read("capture" + std::to_string(number), capture, whole(rank, capture)));
  for (auto [number, result] : llvm::enumerate(getResults())) {
    std::vector<space::AffineRow> rows;
    for (int64_t dim = 0; dim < rank_of(result); ++dim)
      rows.push_back(row(rank, {{dim}}));
    signature.operands.push_back(
        write("result" + std::to_string(number), result, cells(rank, std::move(rows))));
  }
  return signature;
}

double ZipMapReduceOp::flops_per_point() {
  double merge = getMonoid() ? monoid_flops(*getMonoid(), regions_of(*this)) : 0;
  return region_flops(getBody()) + merge;
}

} // namespace kolam::ir
