// kolam.reduce: combines elements along dimensions with a monoid.
#include "kolam/ir/expectations.h"
#include "kolam/ir/monoid.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/reduced_dims.h"

namespace kolam::ir {
namespace {

MonoidRegions regions_of(ReduceOp op) {
  return {op.getZero(), op.getWrap(), op.getMerge(), op.getUnwrap(), op.getWrapAll()};
}

} // namespace

llvm::LogicalResult ReduceOp::verify() {
  if (failed(expect_at_least(*this, getInputs().size(), 1, "input")) ||
      failed(expect_at_least(*this, getResults().size(), 1, "result")))
    return mlir::failure();
  return expect_reduction(*this, getInputs(), getResults(), shape_of(getInputs()[0]), getDims(),
                          accumulate_of(getAccumulate()));
}

llvm::LogicalResult ReduceOp::verifyRegions() {
  return expect_monoid(*this, getMonoid(), regions_of(*this), scalar_types(getInputs().getTypes()),
                       scalar_types(getResults().getTypes()));
}

space::Signature ReduceOp::signature() {
  Shape shape = shape_of(getInputs()[0]);
  int rank = static_cast<int>(shape.size());
  space::Signature signature{
      name_of(*this),
      reduction_dims(shape, getDims(),
                     monoid_descriptor(getMonoid(), getCommutative(), regions_of(*this),
                                       getInputs().getTypes())),
      {}};
  std::vector<int> indices = index_of_dims(rank, getDims());
  for (auto [number, input] : llvm::enumerate(getInputs()))
    signature.operands.push_back(
        read("input" + std::to_string(number), input, space::axial(rank, indices, shape)));
  for (auto [number, result] : llvm::enumerate(getResults())) {
    std::vector<space::AffineRow> rows;
    for (int64_t dim = 0; dim < rank_of(result); ++dim)
      rows.push_back(row(rank, {{dim}}));
    signature.operands.push_back(
        write("result" + std::to_string(number), result, cells(rank, std::move(rows))));
  }
  return signature;
}

double ReduceOp::flops_per_point() { return monoid_flops(getMonoid(), regions_of(*this)); }

} // namespace kolam::ir
