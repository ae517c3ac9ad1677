// Makes what puts elements back.
#include "kolam/transform/derive/placing.h"

#include "kolam/language/concat.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/pad.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/reshape.h"
#include "kolam/language/scatter.h"
#include "kolam/language/slice.h"
#include "kolam/language/transpose.h"

namespace kolam::transform::derive {

Value reshaped(Builder& b, Value x, const Shape& shape) {
  if (ir::shape_of(x) == shape)
    return x;
  return ir::ReshapeOp::create(b, language::tensor_type(b, ir::dtype_of(x), shape), x);
}

Value in_memory(Builder& b, Value x) { return ir::MaterializeOp::create(b, x.getType(), x); }

Value put_apart(Builder& b, Value x, int64_t dim, const Extent& start, int64_t step,
                const Extent& extent) {
  Shape shape = ir::shape_of(x), apart = shape, result = shape;
  result[dim] = extent;
  auto count = shape[dim].constant(), first = start.constant(), all = extent.constant();
  if (!count || !first || !all) {
    Value places = language::iota(b, {shape[dim]}, 0, DType::i64);
    for (auto [fn, by] : {std::pair(Fn::multiply, Extent(step)), std::pair(Fn::add, start)})
      places = language::elementwise(b, fn, {places, language::extent_scalar(b, by, DType::i64)});
    Value to_front = language::moveaxis(b, x, {dim}, {0});
    Shape window = ir::shape_of(to_front);
    window.insert(window.begin() + 1, 1); // one element along the dim, then all others
    Shape front = window;
    front.erase(front.begin() + 1);
    front[0] = extent;
    language::ScatterSpec spec{
        .dims = {0}, .unique_indices = true, .mode = "promise", .fits_where_any = true};
    Value put = language::scatter(b, {zeros(b, language::tensor_type(b, ir::dtype_of(x), front))},
                                  {reshaped(b, to_front, window)},
                                  language::expand_dims(b, places, {1}), spec)[0];
    return language::moveaxis(b, put, {0}, {dim});
  }
  Value zero = language::weak_constant(b, 0.0, ir::dtype_of(x));
  auto widened = [&](Value value, int64_t along, int64_t before, int64_t after) {
    std::vector<PadWidth> widths(static_cast<size_t>(ir::rank_of(value)), PadWidth{0, 0});
    widths[along] = {before, after};
    return language::pad(b, value, widths, "constant", zero);
  };
  apart.insert(apart.begin() + dim + 1, 1);
  shape[dim] = *count * step;
  Value spaced = reshaped(b, widened(reshaped(b, x, apart), dim + 1, 0, step - 1), shape);
  // Behind the last element the operand may end before the next step.
  const int64_t size = std::min(*count * step, *all - *first);
  spaced = language::slice_dim(b, spaced, dim, 0, size);
  return widened(spaced, dim, *first, *all - *first - size);
}

Value added_at(Builder& b, Value v, mlir::Type type, const Values& columns) {
  language::ScatterSpec spec;
  for (size_t dim = 0; dim < columns.size(); ++dim)
    spec.dims.push_back(static_cast<int64_t>(dim));
  spec.combiner = "kAdd";
  spec.mode = "promise";
  spec.fits_where_any = true;
  Shape windows = ir::shape_of(v);
  windows.insert(windows.end(), columns.size(), Extent(1));
  Value places = language::stack(b, columns, ir::rank_of(v));
  return sum_at(b, reshaped(b, v, windows), type, places, spec);
}

Value sum_at(Builder& b, Value windows, mlir::Type type, Value places,
             const language::ScatterSpec& spec) {
  const DType wide = language::wide_dtype(ir::dtype_of(type));
  Value nothing = zeros(b, language::tensor_type(b, wide, ir::shape_of(type)));
  return language::scatter(b, {nothing}, {language::cast(b, windows, wide)}, places, spec)[0];
}

} // namespace kolam::transform::derive
