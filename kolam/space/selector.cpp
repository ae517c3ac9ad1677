// Routes result elements to source elements.
#include "kolam/space/selector.h"

#include "kolam/space/exact.h"
#include "kolam/space/projection_forms.h"

namespace kolam::space {
namespace {

void check_count(int64_t count) {
  if (count < 1)
    fail(ErrorKind::value, "space-step",
         "expected at least one element, but got " + std::to_string(count));
}

} // namespace

Source concat_source(const std::vector<int64_t>& extents, int64_t index) {
  int64_t rest = index;
  for (size_t piece = 0; piece < extents.size() && rest >= 0; ++piece) {
    if (rest < extents[piece])
      return {static_cast<int64_t>(piece), rest};
    rest -= extents[piece];
  }
  fail(ErrorKind::index, "space-out-of-bounds",
       "expected an element of the pieces " + to_string(extents) + ", but got " +
           std::to_string(index));
}

std::vector<Projection> concat_projections(const std::vector<Shape>& shapes, int axis) {
  std::vector<Projection> result;
  Extent before = 0;
  for (const Shape& shape : shapes) {
    if (axis < 0 || axis >= static_cast<int>(shape.size()))
      fail(ErrorKind::index, "space-rank",
           "expected an axis below " + std::to_string(shape.size()) + ", but got " +
               std::to_string(axis));
    Shape expected = shapes[0];
    if (expected.size() == shape.size())
      expected[axis] = shape[axis];
    if (expected != shape)
      fail(ErrorKind::value, "space-concat",
           "expected pieces like " + kolam::to_string(expected) + ", but got " +
               kolam::to_string(shape));
    Shape shift(shape.size(), 0);
    shift[axis] = before;
    result.push_back(translate(identity(static_cast<int>(shape.size())), shift));
    before = before + shape[axis];
  }
  return result;
}

Source interleave_source(int64_t count, int64_t index) {
  check_count(count);
  return {floor_modulo(index, count), floor_divide(index, count)};
}

AffineMap interleave_map(int64_t count) {
  check_count(count);
  return {1, {{{1}, 0, 1, count}, {{1}, 0, count, 0}}};
}

AffineMap repeat_map(int64_t extent) {
  check_count(extent);
  return {1, {{{1}, 0, 1, extent}}};
}

Landing pad_source(const Policy& policy, int64_t before, int64_t extent, int64_t index) {
  return land(policy, subtract(index, before), extent);
}

} // namespace kolam::space
