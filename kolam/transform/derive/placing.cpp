// Makes what puts elements back.
#include "kolam/transform/derive/placing.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/pad.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/reshape.h"
#include "kolam/language/reverse.h"
#include "kolam/language/scatter.h"
#include "kolam/language/slice.h"
#include "kolam/language/transpose.h"
#include "kolam/language/zip_map_reduce.h"
#include "kolam/space/adjoint.h"

#include <algorithm>

namespace kolam::transform::derive {

using language::Axes;

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

namespace {

std::optional<space::Point> numbers_of(const Shape& shape) {
  space::Point numbers;
  for (const Extent& extent : shape) {
    if (!extent.is_constant())
      return std::nullopt;
    numbers.push_back(*extent.constant());
  }
  return numbers;
}

/// The points of a term, as an array over its ranges.
Value points_of(Builder& b, Value v, const space::AdjointTerm& term) {
  std::vector<SliceBox> boxes;
  for (auto [range, start] : llvm::zip(term.ranges, term.start))
    boxes.push_back({false, start, range.count, range.step});
  return language::slice(b, v, boxes);
}

/// An array over a term's ranges at its places, in zeros of this shape: the dims that each row
/// uses, the largest step first, become that row's.
Value at_places(Builder& b, Value x, const space::AdjointTerm& term, const space::Point& shape) {
  Axes order, turned;
  std::vector<std::vector<std::pair<int64_t, int64_t>>> used; // step and count, by row
  Shape kept;
  for (const space::AffineRow& row : term.map.rows) {
    std::vector<std::pair<int64_t, int64_t>> dims;
    for (size_t dim = 0; dim < term.ranges.size(); ++dim)
      if (row.coefficients[dim] != 0)
        dims.emplace_back(std::abs(row.coefficients[dim]), static_cast<int64_t>(dim));
    std::sort(dims.rbegin(), dims.rend());
    for (auto& [step, dim] : dims) {
      if (row.coefficients[static_cast<size_t>(dim)] < 0)
        turned.push_back(dim);
      order.push_back(dim);
      dim = term.ranges[static_cast<size_t>(dim)].count;
      kept.emplace_back(dim);
    }
    used.push_back(std::move(dims));
  }
  if (!turned.empty())
    x = language::flip(b, x, turned);
  for (int64_t dim = 0; dim < static_cast<int64_t>(term.ranges.size()); ++dim)
    if (!llvm::is_contained(order, dim)) // of one point
      order.push_back(dim);
  x = reshaped(b, language::permute_dims(b, x, order), kept);
  for (int64_t place = 0; place < static_cast<int64_t>(shape.size()); ++place) {
    const space::AffineRow& row = term.map.rows[static_cast<size_t>(place)];
    int64_t first = *row.offset.constant(), reached = 1;
    for (size_t dim = 0; dim < term.ranges.size(); ++dim)
      first += std::min<int64_t>(row.coefficients[dim], 0) * (term.ranges[dim].count - 1);
    const auto& dims = used[static_cast<size_t>(place)];
    if (dims.empty())
      x = language::expand_dims(b, x, {place});
    for (size_t inner = dims.size(); inner-- > 0;) {
      auto [step, count] = dims[inner];
      if (inner + 1 < dims.size()) { // what the smaller steps reach, up to this step
        x = put_apart(b, x, place + static_cast<int64_t>(inner) + 1, 0, 1, step);
        Shape joined = ir::shape_of(x);
        joined[place + static_cast<int64_t>(inner)] = count * step;
        joined.erase(joined.begin() + place + static_cast<int64_t>(inner) + 1);
        x = reshaped(b, x, joined);
        reached += (count - 1) * step;
        x = language::slice_dim(b, x, place + static_cast<int64_t>(inner), 0, reached);
        continue;
      }
      reached = (count - 1) * step + 1;
      x = put_apart(b, x, place + static_cast<int64_t>(inner), 0, step, reached);
    }
    x = put_apart(b, x, place, first, 1, shape[static_cast<size_t>(place)]);
  }
  return x;
}

constexpr int64_t kMostTerms = 32; // assumed: each is a pass over the result

/// An adjoint of `v` term by term, added to `sum`, which may be null.
Value by_terms(Builder& b, Value v, mlir::Type type, const space::Adjoint& adjoint, Value sum) {
  const space::Point shape = *numbers_of(ir::shape_of(type));
  const DType wide = language::wide_dtype(ir::dtype_of(type));
  v = language::cast(b, v, wide);
  if (!adjoint.summed.empty()) {
    const Axes dims(adjoint.summed.begin(), adjoint.summed.end());
    v = language::keep_dims(b, language::combine(b, v, Fn::add, dims), dims);
  }
  for (const space::AdjointTerm& term : adjoint.terms)
    sum = added(b, sum, at_places(b, points_of(b, v, term), term, shape));
  return sum ? sum : zeros(b, language::tensor_type(b, wide, ir::shape_of(type)));
}

bool has_numbers(const space::AffineMap& map) {
  return llvm::all_of(map.rows, [](const auto& row) { return row.offset.is_constant(); });
}

} // namespace

Value accumulated(Builder& b, Value v, mlir::Type type, const space::AffineMap& map) {
  const Shape from = ir::shape_of(v);
  const auto extents = numbers_of(from), shape = numbers_of(ir::shape_of(type));
  if (extents && shape && has_numbers(map))
    if (const auto adjoint = space::adjoint_of(map, *extents, kMostTerms))
      return by_terms(b, v, type, *adjoint, {});
  Values columns;
  for (const space::AffineRow& row : map.rows) {
    Value place =
        language::broadcast_to(b, language::extent_scalar(b, row.offset, DType::i64), from);
    for (auto [index, by] : llvm::enumerate(row.coefficients)) {
      if (by == 0)
        continue;
      Value own = language::iota(b, from, static_cast<int64_t>(index), DType::i64);
      Value scaled = language::elementwise(b, Fn::multiply,
                                           {own, language::integer_constant(b, by, DType::i64)});
      place = language::elementwise(b, Fn::add, {place, scaled});
    }
    columns.push_back(place);
  }
  return added_at(b, v, type, columns);
}

Value accumulated(Builder& b, Value v, mlir::Type type, const space::AffineMap& map,
                  const space::Policy& policy, llvm::function_ref<Value()> scattered) {
  const auto extents = numbers_of(ir::shape_of(v)), shape = numbers_of(ir::shape_of(type));
  if (!extents || !shape || !has_numbers(map))
    return scattered();
  const auto adjoint = space::adjoint_of(map, policy, *shape, *extents, kMostTerms);
  if (!adjoint || !adjoint->summed.empty())
    return scattered();
  const DType wide = language::wide_dtype(ir::dtype_of(type));
  // A scatter begins with zeros: of -0 alone it makes 0.
  return by_terms(b, v, type, *adjoint,
                  zeros(b, language::tensor_type(b, wide, ir::shape_of(type))));
}

Value sum_at(Builder& b, Value windows, mlir::Type type, Value places,
             const language::ScatterSpec& spec) {
  const DType wide = language::wide_dtype(ir::dtype_of(type));
  Value nothing = zeros(b, language::tensor_type(b, wide, ir::shape_of(type)));
  return language::scatter(b, {nothing}, {language::cast(b, windows, wide)}, places, spec)[0];
}

} // namespace kolam::transform::derive
