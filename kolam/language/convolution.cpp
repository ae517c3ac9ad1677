// Makes convolutions.
#include "kolam/language/convolution.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/contract.h"
#include "kolam/language/labelled.h"
#include "kolam/language/sliding_window.h"
#include "kolam/language/transpose.h"

namespace kolam::language {
namespace {

/// The extent of one group's share of `extent`; a remainder is an error, at run time where it shows
/// only then.
Extent share(Builder& b, const Extent& extent, int64_t groups, std::string_view what) {
  Extent each = floordiv(extent, groups);
  std::string message = std::string(what) + ": expected a multiple of " + std::to_string(groups) +
                        " groups, but got " + extent.to_string();
  if (each * groups == extent)
    return each;
  if (extent.is_constant())
    fail(ErrorKind::value, "shape-mismatch", message);
  check_equal(b, each * groups, extent, "shape-mismatch", message);
  return each;
}

} // namespace

void require_convolution_ranks(Value x, Value w) {
  int64_t rank = ir::rank_of(x);
  if (rank < 3)
    fail_argument(ErrorKind::value, "rank-mismatch", "x", "batch, channels and spatial dims",
                  describe(x));
  if (ir::rank_of(w) != rank)
    fail_argument(ErrorKind::value, "rank-mismatch", "w",
                  "rank " + std::to_string(rank) + " as of x", describe(w));
}

Value convolution(Builder& b, Value x, Value w, const ConvolutionWindow& window,
                  std::optional<DType> dtype) {
  require_convolution_ranks(x, w);
  int64_t groups = window.groups;
  if (groups < 1)
    fail_argument(ErrorKind::value, "bad-window", "groups", "1 group or more",
                  std::to_string(groups));
  Values operands = promote_numbers(b, {x, w});
  DType sums = sum_dtype(ir::dtype_of(operands[0]), dtype);
  for (Value& operand : operands)
    operand = factor_of_sums(b, operand, sums);

  Shape x_shape = ir::shape_of(x), w_shape = ir::shape_of(w);
  Extent outputs = w_shape[0];
  w_shape[0] = share(b, outputs, groups, "dim 0 of w") * groups;
  w_shape[1] = unify(b, share(b, x_shape[1], groups, "dim 1 of x"), w_shape[1],
                     "channels of x, " + describe(x) + ", for each of " + std::to_string(groups) +
                         " groups and dim 1 of w, " + describe(w));
  x_shape[1] = w_shape[1] * groups;
  Shape input(x_shape.begin() + 2, x_shape.end()), filter(w_shape.begin() + 2, w_shape.end());
  SlidingWindow geometry = read_window(window, input, filter);

  Shape result = window_positions(b, input, filter, geometry);
  result.insert(result.begin(), x_shape[0]);
  result.push_back(w_shape[0]);
  // The op has channels last: [n, spatial, c], [window, c, o], [n, spatial, o].
  Value channels_last = moveaxis(b, with_shape(b, operands[0], x_shape), {1}, {-1});
  Value filter_last = moveaxis(b, with_shape(b, operands[1], w_shape), {1, 0}, {-2, -1});
  Value last = ir::ConvolutionOp::create(
      b, tensor_type(b, sums, result), channels_last, filter_last, geometry.strides,
      geometry.dilation, geometry.low, geometry.high, groups,
      ir::accumulate_attr(b.getContext(), contraction_order(outputs)));
  result.back() = outputs;
  return moveaxis(b, with_shape(b, last, result), {-1}, {1});
}

} // namespace kolam::language
