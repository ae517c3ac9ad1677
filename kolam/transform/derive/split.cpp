// Cuts arrays into a head and segments.
#include "kolam/transform/derive/split.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/index.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reverse.h"
#include "kolam/transform/derive/placing.h"
#include "kolam/transform/derive/segments.h"

namespace kolam::transform::derive {

using language::Values;

Value part(Builder& b, Value x, const Extent& start, const Extent& extent) {
  Shape shape = ir::shape_of(x), starts(shape.size(), Extent(0));
  if (shape[0] == extent)
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
    : is_reverse(op.getReverse()), length(op.getLength().shape()[0]),
      steps(segments_of(op).front()), count(floordiv(length, steps)),
      head(length - Extent(steps) * count) {}

Value Split::head_of(Builder& b, Value x) const {
  return part(b, x, is_reverse ? length - head : Extent(0), head);
}

Value Split::for_segments(Builder& b, Value x) const {
  if (has_head())
    return numbers(b);
  Shape shape = ir::shape_of(x);
  shape[0] = steps;
  shape.insert(shape.begin(), count);
  return reshaped(b, x, shape);
}

Value Split::part_of(Builder& b, Value x, Value given) const {
  if (!has_head())
    return given;
  Shape shape = ir::shape_of(x);
  shape[0] = steps;
  return language::dynamic_slice(b, x, starts_of(b, x, given), shape);
}

Value Split::begun_with(Builder& b, mlir::Type whole, Value of_head) const {
  Value zeros =
      language::full(b, ir::shape_of(whole), language::weak_constant(b, 0.0, ir::dtype_of(whole)));
  return of_head ? with_head(b, zeros, of_head) : zeros;
}

Value Split::with_head(Builder& b, Value whole, Value of_head) const {
  Values starts(ir::shape_of(whole).size(), number(b, 0));
  starts[0] = number(b, is_reverse ? length - head : Extent(0));
  return language::dynamic_update_slice(b, whole, of_head, starts);
}

Value Split::with_part(Builder& b, Value whole, Value part, Value number) const {
  return language::dynamic_update_slice(b, whole, part, starts_of(b, whole, number));
}

Value Split::nothing_without_head(Builder& b, Value sum) const {
  if (head.is_constant())
    return sum;
  auto is = [&](Fn relation, const Extent& extent) {
    return language::elementwise(b, relation,
                                 {language::extent_value(b, extent), language::extent_value(b, 0)});
  };
  Value is_none =
      language::elementwise(b, Fn::logical_and, {is(Fn::equal, head), is(Fn::greater, length)});
  Value nothing = language::weak_constant(b, -0.0, ir::dtype_of(sum));
  return language::elementwise(b, Fn::where, {is_none, nothing, sum});
}

Value Split::numbers(Builder& b) const { return language::iota(b, {count}, 0, DType::i32); }

Values Split::starts_of(Builder& b, Value x, Value segment) const {
  Value start = language::elementwise(b, Fn::multiply, {segment, number(b, steps)});
  if (!is_reverse)
    start = language::elementwise(b, Fn::add, {start, number(b, head)});
  Values starts(ir::shape_of(x).size(), number(b, 0));
  starts[0] = start;
  return starts;
}

Value Split::number(Builder& b, const Extent& value) {
  return language::cast(b, language::extent_value(b, value), DType::i32);
}

Value Split::last_first(Builder& b, Value of_segments) const {
  return is_reverse ? of_segments : language::flip(b, of_segments, language::Axes{0});
}

} // namespace kolam::transform::derive
