// kolam.pad: adds elements around the operand.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {
namespace {

space::Policy policy_of(llvm::StringRef mode) {
  using Kind = space::Policy::Kind;
  if (mode == "edge")
    return {Kind::clamp};
  if (mode == "reflect")
    return {Kind::reflect};
  return mode == "wrap" ? space::Policy{Kind::wrap} : space::Policy::pad(int64_t{0});
}

} // namespace

llvm::LogicalResult PadOp::verify() {
  Shape shape = shape_of(getOperand());
  int64_t rank = static_cast<int64_t>(shape.size());
  if (failed(expect_one_of(*this, getMode(), {"constant", "edge", "reflect", "wrap"}, "mode")) ||
      failed(expect_count(*this, getLow().size(), rank, "low widths")) ||
      failed(expect_count(*this, getHigh().size(), rank, "high widths")) ||
      failed(expect_between(*this, getLow(), 0, INT64_MAX, "low widths")) ||
      failed(expect_between(*this, getHigh(), 0, INT64_MAX, "high widths")) ||
      failed(expect_dtype(*this, getValue(), dtype_of(getOperand()), "the value")) ||
      failed(expect_dtype(*this, getResult(), dtype_of(getOperand()), "the result")))
    return mlir::failure();
  return without_overflow(*this, [&]() -> llvm::LogicalResult {
    for (int64_t dim = 0; dim < rank; ++dim) {
      Extent padding = Extent(getLow()[dim]) + Extent(getHigh()[dim]);
      if (getMode() != "constant" && shape[dim] == Extent(0) && !(padding == Extent(0)))
        return emitOpError("expected elements in dim ") << dim << ", but got extent 0";
      shape[dim] = shape[dim] + padding;
    }
    return expect_shape(*this, getResult(), shape, "the result");
  });
}

/// The other modes take what they add from the operand's own elements.
std::vector<SizePromise> PadOp::size_promises() {
  std::vector<SizePromise> promises;
  if (getMode() == "constant")
    return promises;
  for (auto [dim, extent] : llvm::enumerate(shape_of(getOperand())))
    if (getLow()[dim] != 0 || getHigh()[dim] != 0)
      promises.push_back({1, extent});
  return promises;
}

/// What `constant` reads outside is the operand `value`, whatever the policy's number says.
space::Signature PadOp::signature() {
  int64_t rank = rank_of(getResult());
  std::vector<space::AffineRow> rows;
  for (int64_t dim = 0; dim < rank; ++dim)
    rows.push_back(row(rank, {{dim}}, Extent(-getLow()[dim])));
  return over_result(
      *this, {read("operand", getOperand(), cells(rank, std::move(rows)), policy_of(getMode())),
              read("value", getValue(), cells(rank, {}))});
}

} // namespace kolam::ir
