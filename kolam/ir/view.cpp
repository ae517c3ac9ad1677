// kolam.view: elements of the operand at affine functions of the index.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

space::AffineMap ViewOp::map() {
  auto rank = static_cast<size_t>(rank_of(getResult()));
  Shape starts = getStarts().shape();
  space::AffineMap map{static_cast<int>(rank), {}};
  for (auto [dim, start] : llvm::enumerate(starts)) {
    llvm::ArrayRef<int64_t> row = getCoefficients().slice(dim * rank, rank);
    map.rows.push_back({{row.begin(), row.end()}, start});
  }
  return map;
}

llvm::LogicalResult ViewOp::verify() {
  Shape from = shape_of(getOperand()), to = shape_of(getResult());
  if (failed(expect_dtype(*this, getResult(), dtype_of(getOperand()), "the result")) ||
      failed(expect_count(*this, getStarts().shape().size(), from.size(), "starts")) ||
      failed(
          expect_count(*this, getCoefficients().size(), from.size() * to.size(), "coefficients")))
    return mlir::failure();
  if (llvm::is_contained(to, Extent(0)))
    return mlir::success(); // no element lies anywhere
  return without_overflow(*this, [&]() -> llvm::LogicalResult {
    for (auto [dim, row] : llvm::enumerate(map().rows)) {
      Extent least = row.offset, greatest = row.offset;
      for (auto [coefficient, extent] : llvm::zip(row.coefficients, to)) {
        Extent& end = coefficient < 0 ? least : greatest;
        end = end + Extent(coefficient) * (extent - 1);
      }
      if (least.constant().value_or(0) < 0 || (from[dim] - greatest).constant().value_or(1) < 1)
        return emitOpError("expected elements inside extent ")
               << from[dim].to_string() << " of dim " << dim << ", but got " << least.to_string()
               << " to " << greatest.to_string();
    }
    return mlir::success();
  });
}

space::Signature ViewOp::signature() {
  Shape one(rank_of(getOperand()), 1);
  return over_result(*this, {read("operand", getOperand(), space::projection(map(), one))});
}

} // namespace kolam::ir
