// kolam.convolution: windows of the input times a filter.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/monoid.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {
namespace {

constexpr int64_t kMostWidth = INT32_MAX;

/// How many windows of `kernel` elements fit into `extent` elements.
Extent window_count(const Extent& extent, const Extent& kernel, int64_t stride, int64_t dilation) {
  Extent window = kernel == Extent(0) ? Extent(0) : (kernel - 1) * Extent(dilation) + 1;
  return max(floordiv(extent - window, Extent(stride)) + 1, Extent(0));
}

llvm::LogicalResult expect_channels(ConvolutionOp op) {
  int64_t groups = static_cast<int64_t>(op.getGroups());
  Shape input = shape_of(op.getInput()), filter = shape_of(op.getFilter());
  if (failed(expect_at_least(op, groups, 1, "group")))
    return mlir::failure();
  Extent own = filter[filter.size() - 2] * Extent(groups);
  if (!(own == input.back()))
    return op.emitOpError("expected ")
           << own.to_string() << " input channels, but got " << input.back().to_string();
  if (!(floordiv(filter.back(), Extent(groups)) * Extent(groups) == filter.back()))
    return op.emitOpError("expected output channels in ")
           << groups << " equal groups, but got " << filter.back().to_string();
  return mlir::success();
}

} // namespace

llvm::LogicalResult ConvolutionOp::verify() {
  int64_t rank = rank_of(getInput()), windowed = rank - 2;
  if (failed(expect_at_least(*this, rank, 2, "dims of the input")) ||
      failed(expect_rank(*this, getFilter(), rank, "the filter")) ||
      failed(expect_count(*this, getStrides().size(), windowed, "strides")) ||
      failed(expect_count(*this, getDilation().size(), windowed, "dilations")) ||
      failed(expect_count(*this, getLow().size(), windowed, "low widths")) ||
      failed(expect_count(*this, getHigh().size(), windowed, "high widths")) ||
      failed(expect_between(*this, getStrides(), 1, kMostWidth, "strides")) ||
      failed(expect_between(*this, getDilation(), 1, kMostWidth, "dilations")) ||
      failed(expect_between(*this, getLow(), -kMostWidth, kMostWidth, "low widths")) ||
      failed(expect_between(*this, getHigh(), -kMostWidth, kMostWidth, "high widths")) ||
      failed(expect_factors(*this, getInput(), getFilter(), getResult())) ||
      failed(expect_even_chunks(*this, getInput(), accumulate_of(getAccumulate()))))
    return mlir::failure();
  return without_overflow(*this, [&]() -> llvm::LogicalResult {
    if (failed(expect_channels(*this)))
      return mlir::failure();
    Shape input = shape_of(getInput()), filter = shape_of(getFilter());
    Shape result{input[0]};
    for (int64_t dim = 0; dim < windowed; ++dim)
      result.push_back(window_count(input[1 + dim] + Extent(getLow()[dim]) + Extent(getHigh()[dim]),
                                    filter[dim], getStrides()[dim], getDilation()[dim]));
    result.push_back(filter.back());
    return expect_possible_shape(*this, getResult(), result, "the result");
  });
}

/// Index dims: n, y..., o, then k..., c, which are summed. With groups o is split into the group
/// and the channel in it, so that the input's channel is affine; where the extents do not allow
/// that, a point owns all channels.
space::Signature ConvolutionOp::signature() {
  Shape input = shape_of(getInput()), filter = shape_of(getFilter());
  Shape result = shape_of(getResult());
  int64_t windowed = static_cast<int64_t>(input.size()) - 2;
  int64_t groups = static_cast<int64_t>(getGroups());
  std::optional<int64_t> outputs = result.back().constant(), channels = filter[windowed].constant();
  bool split = groups > 1 && outputs && channels;

  Shape outer(result.begin(), result.end() - 1);
  if (split)
    outer.push_back(groups);
  outer.push_back(split ? Extent(*outputs / groups) : result.back());
  space::Signature signature{name_of(*this), map_dims(outer), {}};
  int64_t first_summed = static_cast<int64_t>(outer.size()), rank = first_summed + windowed + 1;
  for (int64_t k = 0; k <= windowed; ++k)
    signature.dims.push_back(
        space::reduce_dim("k" + std::to_string(k), filter[k],
                          sum_monoid(dtype_of(getInput()), dtype_of(getResult()))));

  int64_t channel = rank - 1, output = first_summed - 1, group = output - 1;
  space::AffineRow output_row =
      split ? row(rank, {{group, *outputs / groups}, {output}}) : row(rank, {{output}});
  std::vector<space::AffineRow> reads{row(rank, {{0}})}, weights, writes{row(rank, {{0}})};
  for (int64_t dim = 0; dim < windowed; ++dim) {
    int64_t y = 1 + dim, k = first_summed + dim;
    reads.push_back(
        row(rank, {{y, getStrides()[dim]}, {k, getDilation()[dim]}}, Extent(-getLow()[dim])));
    weights.push_back(row(rank, {{k}}));
    writes.push_back(row(rank, {{y}}));
  }
  if (split)
    reads.push_back(row(rank, {{group, *channels}, {channel}}));
  else
    reads.push_back(groups == 1 ? row(rank, {{channel}}) : row(rank, {}));
  weights.push_back(row(rank, {{channel}}));
  weights.push_back(output_row);
  writes.push_back(output_row);

  space::Projection window = cells(rank, std::move(reads));
  if (groups > 1 && !split)
    window.size.back() = input.back();
  signature.operands = {
      read("input", getInput(), std::move(window), space::Policy::pad(int64_t{0})),
      read("filter", getFilter(), cells(rank, std::move(weights))),
      write("result", getResult(), cells(rank, std::move(writes)))};
  return signature;
}

double ConvolutionOp::flops_per_point() { return 2; }

/// Rule R9, where D of the input may be the batch, a windowed dim, which stays, or the channels,
/// which are summed. With a filter for each channel the channels stay. (R11)
std::vector<space::DataDimTable>
ConvolutionOp::data_dim_rows(const space::DataDimQuestion& question) {
  Shape filter = shape_of(getFilter()), result = shape_of(getResult());
  int windowed = static_cast<int>(result.size()) - 2, last = windowed + 1;
  const bool by_channel = getGroups() > 1 && filter[windowed] == Extent(1) &&
                          filter.back() == Extent(static_cast<int64_t>(getGroups()));
  // Index dims as in the signature: results first, of groups one more, then what is summed.
  space::Signature signed_as = signature();
  const int channel = static_cast<int>(signed_as.dims.size()) - 1, points = channel - windowed,
            output = points - 1, group = points - 2;
  space::Product product{{}, {}, result, by_channel};
  for (int dim = 0; dim < last; ++dim)
    product.left.push_back({dim, dim});
  product.left.push_back(by_channel ? space::ProductDim{group, last, true}
                                    : space::ProductDim{channel});
  for (int dim = 0; dim < windowed; ++dim)
    product.right.push_back({points + dim});
  product.right.push_back({channel});
  product.right.push_back(by_channel ? space::ProductDim{group, last, true}
                                     : space::ProductDim{output, last});
  auto is_constant = [&](size_t number) {
    return number < question.constants.size() && question.constants[number];
  };
  return {{{operand_place(0), operand_place(1), result_place(0)},
           space::product_rows(product, is_constant(0), is_constant(1), question)}};
}

} // namespace kolam::ir
