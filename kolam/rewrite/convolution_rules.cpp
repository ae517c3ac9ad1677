// Equations of convolutions.
#include "kolam/rewrite/rule.h"

#include "kolam/ir/ops.h"

namespace kolam::rewrite {
namespace {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::Value;

/// Windows that never reach outside are read without asking where they are.
Value padded_input(Operation* op, OpBuilder& b) {
  auto convolution = llvm::dyn_cast<ir::ConvolutionOp>(op);
  auto is_added = [](int64_t width) { return width > 0; };
  if (!convolution || (llvm::none_of(convolution.getLow(), is_added) &&
                       llvm::none_of(convolution.getHigh(), is_added)))
    return {};
  // Of widths below 0, which take elements away, nothing changes.
  llvm::SmallVector<int64_t> low{0}, high{0}, low_left, high_left;
  Shape shape = ir::shape_of(convolution.getInput());
  for (auto [x, y] : llvm::zip(convolution.getLow(), convolution.getHigh())) {
    low.push_back(std::max<int64_t>(x, 0));
    high.push_back(std::max<int64_t>(y, 0));
    low_left.push_back(std::min<int64_t>(x, 0));
    high_left.push_back(std::min<int64_t>(y, 0));
    Extent& extent = shape[low.size() - 1];
    extent = extent + Extent(low.back()) + Extent(high.back());
  }
  low.push_back(0);
  high.push_back(0);
  DType dtype = ir::dtype_of(convolution.getInput());
  mlir::RankedTensorType scalar = ir::tensor_type(op->getContext(), dtype, {});
  mlir::Location loc = op->getLoc();
  Value zero = ir::ConstantOp::create(
      b, loc, scalar, mlir::DenseElementsAttr::get(scalar, b.getZeroAttr(scalar.getElementType())));
  Value padded = ir::PadOp::create(b, loc, ir::tensor_type(op->getContext(), dtype, shape),
                                   convolution.getInput(), zero, b.getDenseI64ArrayAttr(low),
                                   b.getDenseI64ArrayAttr(high), b.getStringAttr("constant"));
  return ir::ConvolutionOp::create(b, loc, convolution.getType(), padded, convolution.getFilter(),
                                   convolution.getStridesAttr(), convolution.getDilationAttr(),
                                   b.getDenseI64ArrayAttr(low_left),
                                   b.getDenseI64ArrayAttr(high_left), convolution.getGroupsAttr(),
                                   convolution.getAccumulateAttr());
}

constexpr Rule kRules[] = {
    {"padded_input", "convolution(x) with elements added around x = convolution(pad(x, 0)) without",
     R"(%0 = kolam.expand_dims %x [2] : tensor<4x6xf32> -> tensor<4x6x1xf32>
        %c = kolam.constant dense<[[[1.0]], [[-2.0]], [[4.0]]]> : tensor<3x1x1xf32>
        %1 = kolam.convolution %0, %c <"chain<8192>"> {dilation = array<i64: 1>, groups = 1 : i64, high = array<i64: -1>, low = array<i64: 3>, strides = array<i64: 1>} : (tensor<4x6x1xf32>, tensor<3x1x1xf32>) -> tensor<4x6x1xf32>
        %r = kolam.squeeze %1 [2] : tensor<4x6x1xf32> -> tensor<4x6xf32>)",
     padded_input},
};

} // namespace

std::span<const Rule> convolution_rules() { return kRules; }

} // namespace kolam::rewrite
