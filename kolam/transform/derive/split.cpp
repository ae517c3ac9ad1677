// Cuts arrays into a head and segments.
#include "kolam/transform/derive/split.h"

#include "kolam/language/concat.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/index.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reverse.h"
#include "kolam/transform/derive/placing.h"
#include "kolam/transform/derive/segments.h"

namespace kolam::transform::derive {

using language::Values;

Value part(Builder& b, Value x, int64_t start, int64_t extent) {
  Shape shape = ir::shape_of(x), starts(shape.size(), Extent(0));
  if (shape[0] == Extent(extent))
    return x;
  shape[0] = extent;
  starts[0] = start;
  llvm::SmallVector<int64_t> ones(shape.size(), 1);
  return ir::SliceOp::create(b, language::tensor_type(b, ir::dtype_of(x), shape), x,
                             ir::ExtentsAttr::of(b.getContext(), starts), ones);
}

Value flat(Builder& b, Value segments) {
  Shape shape = ir::shape_of(segments);
  shape[1] = shape[0] * shape[1];
  shape.erase(shape.begin());
  return reshaped(b, segments, shape);
}

Split::Split(ir::ScanOp op)
    : is_reverse(op.getReverse()), length(*op.getLength().shape()[0].constant()),
      steps(segments_of(op).front()), count(length / steps), head(length % steps) {}

Value Split::head_of(Builder& b, Value x) const {
  return part(b, x, is_reverse ? length - head : 0, head);
}

Value Split::for_segments(Builder& b, Value x) const {
  if (head > 0)
    return language::iota(b, {count}, 0, DType::i32);
  Shape shape = ir::shape_of(x);
  shape[0] = steps;
  shape.insert(shape.begin(), count);
  return reshaped(b, x, shape);
}

Value Split::part_of(Builder& b, Value x, Value given) const {
  if (head == 0)
    return given;
  auto number = [&](int64_t value) { return language::integer_constant(b, value, DType::i32); };
  Value start = language::elementwise(b, Fn::multiply, {given, number(steps)});
  if (!is_reverse)
    start = language::elementwise(b, Fn::add, {start, number(head)});
  Shape shape = ir::shape_of(x);
  shape[0] = steps;
  Values starts(shape.size(), number(0));
  starts[0] = start;
  return language::dynamic_slice(b, x, starts, shape);
}

Value Split::joined(Builder& b, Value first, Value segments) const {
  Value rest = flat(b, segments);
  if (!first)
    return rest;
  return language::concat(b, is_reverse ? Values{rest, first} : Values{first, rest}, 0);
}

Value Split::last_first(Builder& b, Value of_segments) const {
  return is_reverse ? of_segments : language::flip(b, of_segments, language::Axes{0});
}

} // namespace kolam::transform::derive
