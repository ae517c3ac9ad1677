// Makes slices.
#include "kolam/language/slice.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/reshape.h"
#include "kolam/language/reverse.h"

namespace kolam::language {
namespace {

std::vector<SliceBox> whole(const Shape& shape) {
  std::vector<SliceBox> boxes;
  for (const Extent& extent : shape)
    boxes.push_back({false, 0, extent, 1});
  return boxes;
}

} // namespace

Value slice(Builder& b, Value x, const std::vector<SliceBox>& boxes) {
  Shape shape = ir::shape_of(x), starts, sizes;
  Axes steps, reversed;
  bool is_whole = true;
  for (size_t dim = 0; dim < boxes.size(); ++dim) {
    const SliceBox& box = boxes[dim];
    if (box.reversed)
      reversed.push_back(static_cast<int64_t>(dim));
    starts.push_back(box.start);
    sizes.push_back(box.size);
    steps.push_back(box.step);
    is_whole &= box.start == Extent(0) && box.step == 1 && box.size == shape[dim];
  }
  x = flip(b, x, reversed);
  if (is_whole)
    return x;
  return ir::SliceOp::create(b, tensor_type(b, ir::dtype_of(x), sizes), x,
                             ir::ExtentsAttr::of(b.getContext(), starts), steps);
}

Value slice_dim(Builder& b, Value x, int64_t dim, const Extent& start, const Extent& size) {
  std::vector<SliceBox> boxes = whole(ir::shape_of(x));
  boxes[dim].start = start;
  boxes[dim].size = size;
  return slice(b, x, boxes);
}

/// Each part is a value of the program, and so takes time to make and to compile.
static void require_few_parts(std::string_view argument, int64_t parts) {
  constexpr int64_t kMostParts = 10000;
  if (parts > kMostParts)
    fail_argument(ErrorKind::value, "too-many-parts", argument,
                  "at most " + std::to_string(kMostParts) +
                      " parts (index those that are needed, as x[i], or go over them in scan or "
                      "fori_loop)",
                  std::to_string(parts));
}

Values split_evenly(Builder& b, Value x, int64_t sections, int64_t axis) {
  int64_t dim = normalize_axis(axis, ir::rank_of(x));
  Extent extent = ir::shape_of(x)[dim];
  if (sections <= 0)
    fail_argument(ErrorKind::value, "uneven-split", "sections", "1 or more parts",
                  std::to_string(sections));
  require_few_parts("sections", sections);
  Extent size = floordiv(extent, sections), covered = size * Extent(sections);
  if (covered != extent) {
    std::string expected = "a divisor of extent " + extent.to_string();
    if (extent.is_constant())
      fail_argument(ErrorKind::value, "uneven-split", "sections", expected,
                    std::to_string(sections));
    check_equal(b, covered, extent, "uneven-split",
                "argument 'sections': expected " + expected + ", but got " +
                    std::to_string(sections));
  }
  Values parts;
  for (int64_t i = 0; i < sections; ++i)
    parts.push_back(slice_dim(b, x, dim, Extent(i) * size, size));
  return parts;
}

Values split_at(Builder& b, Value x, const std::vector<int64_t>& indices, int64_t axis) {
  int64_t dim = normalize_axis(axis, ir::rank_of(x));
  std::vector<SliceBox> boxes = whole(ir::shape_of(x));
  Extent extent = boxes[dim].size;
  require_few_parts("indices", std::ssize(indices) + 1);
  Values parts;
  for (size_t i = 0; i <= indices.size(); ++i) {
    Slice part;
    if (i > 0)
      part.start = indices[i - 1];
    if (i < indices.size())
      part.stop = indices[i];
    boxes[dim] = resolve_slice(part, extent);
    parts.push_back(slice(b, x, boxes));
  }
  return parts;
}

Values unstack(Builder& b, Value x, int64_t axis) {
  int64_t dim = normalize_axis(axis, ir::rank_of(x));
  Extent extent = ir::shape_of(x)[dim];
  if (!extent.is_constant())
    fail_argument(ErrorKind::value, "symbolic-extent", "axis", "a dim whose extent is a number",
                  extent.to_string());
  require_few_parts("axis", *extent.constant());
  Values parts;
  for (int64_t i = 0; i < *extent.constant(); ++i)
    parts.push_back(squeeze(b, slice_dim(b, x, dim, i, 1), Axes{dim}));
  return parts;
}

} // namespace kolam::language
