// Combines shifted slices.
#include "kolam/language/pooling.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/identity.h"
#include "kolam/language/pad.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/slice.h"
#include "kolam/language/sliding_window.h"
#include "kolam/language/zip_map_reduce.h"

namespace kolam::language {
namespace {

/// Windows of more elements are added dim by dim, dims of more by doubling.
constexpr int64_t kMostTogether = 64, kMostInLine = 16;

/// A window over the last dims of a padded value.
struct Walk {
  Fn fn;
  Axes lengths;
  SlidingWindow window;
  Shape positions; ///< of the window along each of its dims
};

std::vector<SliceBox> whole(const Shape& shape) {
  std::vector<SliceBox> boxes;
  for (const Extent& extent : shape)
    boxes.push_back({false, 0, extent, 1});
  return boxes;
}

/// What the element at `offset` of the window is, at every position.
Value shifted(Builder& b, Value x, const Walk& walk, const Axes& offset) {
  std::vector<SliceBox> boxes = whole(ir::shape_of(x));
  size_t first = boxes.size() - offset.size();
  for (size_t d = 0; d < offset.size(); ++d)
    boxes[first + d] = {false, offset[d] * walk.window.dilation[d], walk.positions[d],
                        walk.window.strides[d]};
  return slice(b, x, boxes);
}

Value all_together(Builder& b, Value x, const Walk& walk) {
  Axes offset(walk.lengths.size());
  Value result;
  while (true) {
    Value cell = shifted(b, x, walk, offset);
    result = result ? elementwise(b, walk.fn, {result, cell}) : cell;
    size_t d = offset.size();
    while (d > 0 && ++offset[d - 1] == walk.lengths[d - 1])
      offset[--d] = 0;
    if (d == 0)
      return result;
  }
}

/// The window along one of its dims: elements, or runs of 1, 2, 4, ... elements, each made of two.
Value along(Builder& b, Value x, const Walk& walk, size_t d) {
  auto dim = static_cast<size_t>(ir::rank_of(x)) - walk.lengths.size() + d;
  int64_t length = walk.lengths[d], dilation = walk.window.dilation[d];
  auto part = [&](Value runs, int64_t start, const Extent& size, int64_t step) {
    std::vector<SliceBox> boxes = whole(ir::shape_of(runs));
    boxes[dim] = {false, start * dilation, size, step};
    return slice(b, runs, boxes);
  };
  Value result;
  auto add = [&](Value runs, int64_t start) {
    Value cells = part(runs, start, walk.positions[d], walk.window.strides[d]);
    result = result ? elementwise(b, walk.fn, {result, cells}) : cells;
  };
  if (length <= kMostInLine) {
    for (int64_t offset = 0; offset < length; ++offset)
      add(x, offset);
    return result;
  }
  Extent extent = ir::shape_of(x)[dim];
  int64_t done = 0;
  for (int64_t run = 1; run <= length; run *= 2) {
    if (length & run) {
      add(x, done);
      done += run;
    }
    if (2 * run > length)
      break;
    extent = extent - Extent(run * dilation);
    x = elementwise(b, walk.fn, {part(x, 0, extent, 1), part(x, run, extent, 1)});
  }
  return result;
}

/// Dims that one window covers wholly are reduced; the window is 1 long there then.
Value reduce_covered(Builder& b, Value x, Walk& walk) {
  Axes covered;
  size_t first = static_cast<size_t>(ir::rank_of(x)) - walk.lengths.size();
  for (size_t d = 0; d < walk.lengths.size(); ++d)
    if (walk.lengths[d] > 1 && walk.window.dilation[d] == 1 &&
        ir::shape_of(x)[first + d] == Extent(walk.lengths[d])) {
      covered.push_back(static_cast<int64_t>(first + d));
      walk.lengths[d] = 1;
    }
  if (covered.empty())
    return x;
  return keep_dims(b, combine(b, x, walk.fn, covered), covered);
}

Value combined(Builder& b, Value x, Fn fn, const Axes& lengths, const ConvolutionWindow& window) {
  Shape shape = ir::shape_of(x);
  size_t rank = lengths.size();
  if (rank > shape.size())
    fail_argument(ErrorKind::value, "rank-mismatch", "x",
                  std::to_string(rank) + " dims or more, those of the window", describe(x));
  for (int64_t length : lengths)
    if (length < 1)
      fail_argument(ErrorKind::value, "bad-window", "window", "lengths of 1 or more",
                    std::to_string(length));
  Shape input(shape.end() - static_cast<int64_t>(rank), shape.end());
  Shape filter(lengths.begin(), lengths.end());
  Walk walk{fn, lengths, read_window(window, input, filter), {}};
  walk.positions = window_positions(b, input, filter, walk.window);
  std::vector<PadWidth> widths(shape.size(), PadWidth{0, 0});
  bool is_padded = false;
  for (size_t d = 0; d < rank; ++d) {
    widths[shape.size() - rank + d] = {walk.window.low[d], walk.window.high[d]};
    is_padded |= walk.window.low[d] + walk.window.high[d] > 0;
  }
  if (is_padded)
    x = pad(b, x, widths, "constant", identity(b, fn, ir::dtype_of(x)));
  x = reduce_covered(b, x, walk);
  int64_t cells = 1;
  for (int64_t length : walk.lengths)
    cells = std::min(cells * std::min(length, kMostTogether + 1), kMostTogether + 1);
  // Extremes of extremes are what all of them have, and fewer.
  const bool is_extreme = fn == Fn::minimum || fn == Fn::maximum;
  if (cells <= kMostTogether && !is_extreme)
    return all_together(b, x, walk);
  for (size_t d = 0; d < rank; ++d)
    x = along(b, x, walk, d);
  return x;
}

} // namespace

Axes window_lengths(Value x, const Axes& lengths) {
  int64_t rank = ir::rank_of(x);
  return lengths.size() == 1 && rank > 3 ? Axes(rank - 2, lengths[0]) : lengths;
}

Value reduce_window(Builder& b, Value x, Fn fn, const Axes& lengths,
                    const ConvolutionWindow& window) {
  DType dtype = ir::dtype_of(x);
  if (fn == Fn::minimum || fn == Fn::maximum) {
    if (dtype == DType::boolean)
      fail_argument(ErrorKind::type, "dtype-mismatch", "x", "integers or floats", describe(x));
    return combined(b, x, fn, lengths, window);
  }
  DType result = accumulation_dtype(dtype, std::nullopt);
  x = cast(b, x, is_float(result) ? wide_dtype(result) : result);
  return cast(b, combined(b, x, fn, lengths, window), result);
}

Value average_window(Builder& b, Value x, const Axes& lengths, const ConvolutionWindow& window,
                     bool counts_padding) {
  DType dtype = float_dtype(ir::dtype_of(x));
  x = cast(b, x, wide_dtype(dtype));
  Value sums = combined(b, x, Fn::add, lengths, window);
  if (counts_padding) {
    Extent count = 1;
    for (int64_t length : lengths)
      count = count * Extent(length);
    return cast(b, divide_by_count(b, sums, count), dtype);
  }
  Shape shape = ir::shape_of(x);
  Shape input(shape.end() - static_cast<int64_t>(lengths.size()), shape.end());
  Value ones = broadcast_to(b, weak_constant(b, 1.0, ir::dtype_of(x)), input);
  Value counts = combined(b, ones, Fn::add, lengths, window);
  return cast(b, elementwise(b, Fn::divide, {sums, counts}), dtype);
}

} // namespace kolam::language
