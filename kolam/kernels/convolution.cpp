// The elements of a window that each element of the filter meets, as matrices times the filter's.
#include "kolam/kernels/convolution.h"

#include "kolam/frontend/array/contraction.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/promotion.h"
#include "kolam/frontend/array/shape.h"
#include "kolam/kernels/argument_checks.h"

#include <algorithm>

namespace kolam::kernels {
namespace {

namespace pl = kolam::pallas;

using Pair = std::array<int64_t, 2>;
using Sides = std::array<std::pair<int64_t, int64_t>, 2>;

std::string in_brackets(const Pair& numbers) {
  return "[" + std::to_string(numbers[0]) + ", " + std::to_string(numbers[1]) + "]";
}

void require_at_least(std::string_view name, const Pair& numbers, int64_t least) {
  if (std::ranges::min(numbers) < least)
    fail(ErrorKind::value, "bad-window",
         "argument '" + std::string(name) + "': expected integers of at least " +
             std::to_string(least) + ", but got " + in_brackets(numbers));
}

/// The two numbers that these extents are.
Pair numbers_of(std::string_view name, const Extent& height, const Extent& width) {
  auto h = height.constant(), w = width.constant();
  if (!h || !w)
    fail(ErrorKind::value, "symbolic-extent",
         "argument '" + std::string(name) + "': expected known extents, but got [" +
             height.to_string() + ", " + width.to_string() +
             "]; leave these dims out of `dynamic`");
  return {*h, *w};
}

Sides sides_of(const Conv2dOptions& options, const Pair& size, const Pair& spans) {
  if (auto* given = std::get_if<Sides>(&options.padding)) {
    for (auto [before, behind] : *given)
      require_at_least("padding", {before, behind}, 0);
    return *given;
  }
  Sides sides{};
  if (std::get<Padding>(options.padding) == Padding::same)
    for (size_t dim = 0; dim < 2; ++dim) {
      const int64_t places = (size[dim] + options.stride[dim] - 1) / options.stride[dim];
      const int64_t total =
          std::max<int64_t>((places - 1) * options.stride[dim] + spans[dim] - size[dim], 0);
      sides[dim] = {total / 2, total - total / 2};
    }
  return sides;
}

} // namespace

Tensor conv2d(const Operand& x, const Operand& w, const Conv2dOptions& options) {
  CallScope scope("conv2d", x.where());
  Tensor images = tensor_of(x), filter = tensor_of(w);
  const std::vector<Argument> arguments{
      {"x", images, "batch height width channels"},
      {"w", filter, "window_height window_width channels outputs"}};
  Extents of = bind_dims(arguments);
  require_kind(Kind::numbers, arguments);
  require_count("block_h", options.block_h);
  require_at_least("stride", options.stride, 1);
  require_at_least("dilation", options.dilation, 1);
  const Pair size = numbers_of("x", of["height"], of["width"]);
  const Pair window = numbers_of("w", of["window_height"], of["window_width"]);
  const Pair &stride = options.stride, &dilation = options.dilation;
  const Pair spans{dilation[0] * (window[0] - 1) + 1, dilation[1] * (window[1] - 1) + 1};
  const Sides sides = sides_of(options, size, spans);
  Pair places{};
  for (size_t dim = 0; dim < 2; ++dim)
    places[dim] = size[dim] + sides[dim].first + sides[dim].second - spans[dim];
  if (std::ranges::min(places) < 0 || std::ranges::min(window) < 1)
    fail(ErrorKind::value, "shape-mismatch",
         "argument 'w': expected a filter that fits into padded images of " +
             in_brackets({places[0] + spans[0], places[1] + spans[1]}) +
             ", but got one that reaches over " + in_brackets(spans));
  const int64_t height = places[0] / stride[0] + 1, width = places[1] / stride[1] + 1;
  const DType dtype = result_type({images, filter}), out = options.out_dtype.value_or(dtype);
  const DType sums = product_sums(dtype, out);
  const Shape shape{of["batch"], height, width, of["outputs"]};
  if (is_empty({of["batch"], of["channels"], of["outputs"]}))
    return zeros(shape, out);
  const int64_t rows = block_of(height, options.block_h);
  const int64_t reach = (rows - 1) * stride[0] + spans[0];
  auto kernel = [&](const Refs& refs) {
    Tensor total = zeros({rows * width, of["outputs"]}, sums);
    for (int64_t i = 0; i < window[0]; ++i)
      for (int64_t j = 0; j < window[1]; ++j) {
        // All elements that an element of the filter meets, as a matrix.
        Tensor seen = refs[0]
                          .at({pl::ds(dilation[0] * i, rows, stride[0]),
                               pl::ds(dilation[1] * j, width, stride[1])})
                          .get();
        Tensor matrix = reshape(seen, {rows * width, of["channels"]});
        total = total + kolam::matmul(matrix, refs[1].at({i, j}).get(), sums);
      }
    refs[2].set(astype(reshape(total, refs[2].shape()), out));
  };
  // A window of padding alone would have no element of the array, so that the image is padded
  // before.
  Tensor padded =
      pad(astype(images, dtype),
          {{0, 0}, {sides[0].first, sides[0].second}, {sides[1].first, sides[1].second}, {0, 0}});
  pl::Call call{
      .out_shape = {{out, shape}},
      .grid = {of["batch"], ceildiv(Extent(height), rows)},
      .in_specs = {block_at({pl::squeezed, pl::Element(reach), padded.extent(2), of["channels"]},
                            [step = rows * stride[0]](const Point& at) {
                              return Point{at[0], at[1] * step, Tensor(0), Tensor(0)};
                            }),
                   {}},
      .out_specs = {block_at(
          {pl::squeezed, rows, width, of["outputs"]},
          [](const Point& at) { return Point{at[0], at[1], Tensor(0), Tensor(0)}; })},
      .name = "conv2d",
      .interpret = options.interpret,
  };
  return pl::pallas_call(kernel, call, {padded, astype(filter, dtype)})[0];
}

} // namespace kolam::kernels
