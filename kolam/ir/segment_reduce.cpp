// kolam.segment_reduce: combines the elements of each segment with a monoid.
#include "kolam/ir/expectations.h"
#include "kolam/ir/monoid.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/reduced_dims.h"

namespace kolam::ir {
namespace {

MonoidRegions regions_of(SegmentReduceOp op) {
  return {op.getZero(), op.getWrap(), op.getMerge(), op.getUnwrap(), op.getWrapAll()};
}

Extent segments_of(SegmentReduceOp op) { return shape_of(op.getOffsets())[0] - Extent(1); }

/// About how many elements a segment has, where the sizes say it; else a number for prices.
Extent mean_length(SegmentReduceOp op) {
  constexpr int64_t kUnknown = 64; // assumed
  auto elements = shape_of(op.getInputs()[0])[0].constant(), segments = segments_of(op).constant();
  return elements && segments && *segments > 0 ? (*elements + *segments - 1) / *segments : kUnknown;
}

} // namespace

llvm::LogicalResult SegmentReduceOp::verify() {
  if (failed(expect_rank(*this, getOffsets(), 1, "the offsets")) ||
      failed(expect_dtype(*this, getOffsets(), DType::i64, "the offsets")) ||
      failed(expect_at_least(*this, getInputs().size(), 1, "input")) ||
      failed(expect_at_least(*this, getResults().size(), 1, "result")) ||
      failed(expect_reduction_order(*this, accumulate_of(getAccumulate()))))
    return mlir::failure();
  Shape shape = shape_of(getInputs()[0]);
  if (shape.empty())
    return emitOpError("expected inputs of rank 1 or more, but got rank 0");
  for (auto [number, input] : llvm::enumerate(getInputs()))
    if (failed(expect_shape(*this, input, shape, "input " + llvm::Twine(number))))
      return mlir::failure();
  shape[0] = segments_of(*this);
  for (auto [number, result] : llvm::enumerate(getResults()))
    if (failed(expect_shape(*this, result, shape, "result " + llvm::Twine(number))))
      return mlir::failure();
  return mlir::success();
}

llvm::LogicalResult SegmentReduceOp::verifyRegions() {
  return expect_monoid(*this, getMonoid(), regions_of(*this), scalar_types(getInputs().getTypes()),
                       scalar_types(getResults().getTypes()));
}

/// Dims are those of a result, then the elements of a segment, which data places.
space::Signature SegmentReduceOp::signature() {
  Shape shape = shape_of(getInputs()[0]);
  const auto rank = static_cast<int64_t>(shape.size());
  Shape space{segments_of(*this)};
  space.insert(space.end(), shape.begin() + 1, shape.end());
  space.push_back(mean_length(*this));
  space::Signature signature{
      name_of(*this),
      reduction_dims(space, {rank},
                     monoid_descriptor(getMonoid(), getCommutative(), regions_of(*this),
                                       getInputs().getTypes())),
      {}};
  signature.operands.push_back(
      read_anywhere("offsets", getOffsets(), whole(rank + 1, getOffsets())));
  std::vector<space::AffineRow> result_rows{row(rank + 1, {{0}})};
  for (int64_t dim = 1; dim < rank; ++dim)
    result_rows.push_back(row(rank + 1, {{dim}}));
  std::vector<int> indices{space::kWhole};
  for (int dim = 1; dim < rank; ++dim)
    indices.push_back(dim);
  for (auto [number, input] : llvm::enumerate(getInputs()))
    signature.operands.push_back(
        read_anywhere("input" + std::to_string(number), input,
                      space::axial(static_cast<int>(rank) + 1, indices, shape)));
  for (auto [number, result] : llvm::enumerate(getResults()))
    signature.operands.push_back(
        write("result" + std::to_string(number), result, cells(rank + 1, result_rows)));
  return signature;
}

double SegmentReduceOp::flops_per_point() { return monoid_flops(getMonoid(), regions_of(*this)); }

} // namespace kolam::ir
