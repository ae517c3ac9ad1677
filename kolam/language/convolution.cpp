// Makes convolutions.
#include "kolam/language/convolution.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/contract.h"
#include "kolam/language/labelled.h"
#include "kolam/language/transpose.h"

#include <limits>

namespace kolam::language {
namespace {

/// A window with one entry a spatial dim.
struct Geometry {
  llvm::SmallVector<int64_t> strides, dilation, low, high;
};

[[noreturn]] void fail_window(std::string_view argument, const std::string& expected,
                              const std::string& actual) {
  fail_argument(ErrorKind::value, "bad-window", argument, expected, actual);
}

/// One entry a dim, from such a list or one for all.
template <class T>
std::vector<T> spread(const std::vector<T>& entries, size_t rank, std::string_view argument) {
  if (entries.size() != rank && entries.size() != 1)
    fail_window(argument, (rank == 1 ? "1 entry" : "1 entry or " + std::to_string(rank)),
                std::to_string(entries.size()));
  return entries.size() == rank ? entries : std::vector<T>(rank, entries.front());
}

/// Windows beyond this are mistakes, and would overflow the arithmetic of places.
constexpr int64_t kMostCells = std::numeric_limits<int32_t>::max();

void require_cells(int64_t entry, int64_t least, std::string_view argument) {
  if (entry < least || entry > kMostCells)
    fail_window(argument,
                "each from " + std::to_string(least) + " to " + std::to_string(kMostCells),
                std::to_string(entry));
}

/// The cells that a window of `extent` positions spans.
Extent window_span(const Extent& extent, int64_t dilation) {
  return extent == Extent(0) ? Extent(0) : Extent(dilation) * (extent - 1) + 1;
}

/// TensorFlow's and JAX's rule; for stride 1 also PyTorch's.
std::pair<int64_t, int64_t> same_padding(const Extent& input, const Extent& span, int64_t stride,
                                         size_t dim) {
  Extent total = stride == 1 ? span - 1 : (ceildiv(input, stride) - 1) * stride + span - input;
  if (!total.is_constant())
    fail_window("padding",
                "numbers for spatial dim " + std::to_string(dim) + ", whose extents are symbols",
                "\"same\"");
  int64_t cells = std::max<int64_t>(*total.constant(), 0);
  return {cells / 2, cells - cells / 2};
}

Geometry read_window(const ConvolutionWindow& window, const Shape& input, const Shape& filter) {
  size_t rank = input.size();
  std::vector<int64_t> strides = spread(window.strides, rank, "strides");
  std::vector<int64_t> dilation = spread(window.dilation, rank, "dilation");
  PaddingPairs padding(rank, {0, 0});
  auto* pairs = std::get_if<PaddingPairs>(&window.padding);
  if (pairs)
    padding = spread(*pairs, rank, "padding");
  Geometry geometry;
  for (size_t dim = 0; dim < rank; ++dim) {
    require_cells(strides[dim], 1, "strides");
    require_cells(dilation[dim], 1, "dilation");
    if (!pairs && std::get<Padding>(window.padding) == Padding::same)
      padding[dim] =
          same_padding(input[dim], window_span(filter[dim], dilation[dim]), strides[dim], dim);
    require_cells(padding[dim].first, 0, "padding");
    require_cells(padding[dim].second, 0, "padding");
    geometry.strides.push_back(strides[dim]);
    geometry.dilation.push_back(dilation[dim]);
    geometry.low.push_back(padding[dim].first);
    geometry.high.push_back(padding[dim].second);
  }
  return geometry;
}

Shape result_extents(Builder& b, const Shape& input, const Shape& filter,
                     const Geometry& geometry) {
  Shape result;
  for (size_t dim = 0; dim < input.size(); ++dim) {
    Extent padded = input[dim] + geometry.low[dim] + geometry.high[dim];
    Extent span = window_span(filter[dim], geometry.dilation[dim]);
    require_at_most(
        b, span, padded, "shape-mismatch",
        "spatial dim " + std::to_string(dim) + ": expected at least " + span.to_string() +
            " cells with the padding, which the window spans, but got " + padded.to_string());
    result.push_back(max(floordiv(padded - span, geometry.strides[dim]) + 1, 0));
  }
  return result;
}

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

void require_ranks(Value x, Value w) {
  int64_t rank = ir::rank_of(x);
  if (rank < 3)
    fail_argument(ErrorKind::value, "rank-mismatch", "x", "batch, channels and spatial dims",
                  describe(x));
  if (ir::rank_of(w) != rank)
    fail_argument(ErrorKind::value, "rank-mismatch", "w",
                  "rank " + std::to_string(rank) + " as of x", describe(w));
}

} // namespace

Value convolution(Builder& b, Value x, Value w, const ConvolutionWindow& window,
                  std::optional<DType> dtype) {
  require_ranks(x, w);
  int64_t groups = window.groups;
  if (groups < 1)
    fail_window("groups", "1 group or more", std::to_string(groups));
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
  Geometry geometry = read_window(window, input, filter);

  Shape result = result_extents(b, input, filter, geometry);
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
