// Makes gathers of single elements along an axis.
#include "kolam/language/take.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/language/transpose.h"

#include <limits>
#include <numeric>

namespace kolam::language {
namespace {

std::string along(int64_t axis) { return "along axis " + std::to_string(axis); }

/// Throws unless there are elements to take along `axis`, or surely nothing to take; true in the
/// latter case.
bool takes_nothing(Builder& b, Value x, Value indices, int64_t axis) {
  if (ir::shape_of(x)[axis] != Extent(0))
    return false;
  require_no_places(b, indices, "indices", along(axis));
  return true;
}

} // namespace

void require_no_places(Builder& b, Value places, std::string_view argument,
                       const std::string& where) {
  require_at_most(b, element_count(ir::shape_of(places)), 0, "index-out-of-range",
                  "argument '" + std::string(argument) +
                      "': expected no index, for there are no elements, " + where + ", but got " +
                      describe(places),
                  ErrorKind::index);
}

Value without_cells(Builder& b, DType dtype, const Shape& shape) {
  Value zero = cast(b, weak_constant(b, false, DType::boolean), dtype);
  return broadcast_to(b, zero, shape);
}

Value count_from_end(Builder& b, Value indices, const Extent& extent, std::string_view argument) {
  DType dtype = ir::dtype_of(indices);
  if (!is_integer(dtype))
    fail_argument(ErrorKind::type, "dtype-mismatch", argument, "integers", describe(indices));
  if (dtype == DType::u64) {
    Value highest = weak_constant(b, std::numeric_limits<int64_t>::max(), DType::u64);
    indices = elementwise(b, Fn::minimum, {indices, highest});
  }
  Value places = cast(b, indices, DType::i64);
  if (is_unsigned_integer(dtype))
    return places;
  Value is_negative = elementwise(b, Fn::less, {places, extent_value(b, 0)});
  Value from_end = elementwise(b, Fn::add, {places, extent_value(b, extent)});
  return elementwise(b, Fn::where, {is_negative, from_end, places});
}

std::string outside_text(const PlacesText& text, const Shape& extents) {
  std::string ranges;
  for (auto [extent, dim] : llvm::zip(extents, text.dims))
    ranges += (ranges.empty() ? "from " : " and from ") + (Extent(0) - extent).to_string() +
              " to " + (extent - Extent(1)).to_string() + " " + dim;
  return text.function + ": argument '" + text.argument + "': expected places " + ranges +
         ", but got one outside";
}

Value gather_cells(Builder& b, Value x, Value places, const Axes& dims, int64_t batched_dims,
                   const PlacesText& text) {
  Shape shape = ir::shape_of(x), result = ir::shape_of(places), extents;
  result.pop_back();
  Extent any = min(element_count(result), 1);
  Shape window(shape.begin() + batched_dims, shape.end());
  for (auto [dim, where] : llvm::zip(dims, text.dims)) {
    extents.push_back(window[dim]);
    require_at_most(b, any, window[dim], "index-out-of-range",
                    "argument '" + text.argument + "': expected elements " + where +
                        ", but got extent " + window[dim].to_string(),
                    ErrorKind::index);
    window[dim] = 1;
  }
  result.insert(result.end(), window.begin(), window.end());
  LocationNote note(b, outside_text(text, extents));
  return ir::GatherOp::create(b, tensor_type(b, ir::dtype_of(x), result), x, places, dims,
                              Axes(dims.size(), 1), batched_dims, "clip");
}

Value take(Builder& b, Value x, Value indices, int64_t axis) {
  axis = normalize_axis(axis, ir::rank_of(x));
  Shape shape = ir::shape_of(x), places_shape = ir::shape_of(indices);
  Value places = count_from_end(b, indices, shape[axis], "indices");
  if (takes_nothing(b, x, indices, axis)) {
    shape.erase(shape.begin() + axis);
    shape.insert(shape.begin() + axis, places_shape.begin(), places_shape.end());
    return without_cells(b, ir::dtype_of(x), shape);
  }
  // [j..., i..., 1, k...], then the j go where the 1 was.
  Value cells = gather_cells(b, x, expand_dims(b, places, {-1}), {axis}, 0,
                             {"take", "indices", {along(axis)}});
  Axes front(places_shape.size()), target(places_shape.size());
  std::iota(front.begin(), front.end(), 0);
  std::iota(target.begin(), target.end(), axis);
  cells = squeeze(b, cells, Axes{static_cast<int64_t>(places_shape.size()) + axis});
  return moveaxis(b, cells, front, target);
}

Value take_along_axis(Builder& b, Value x, Value indices, int64_t axis) {
  int64_t rank = ir::rank_of(x);
  axis = normalize_axis(axis, rank);
  if (ir::rank_of(indices) != rank)
    fail_argument(ErrorKind::value, "rank-mismatch", "indices",
                  "the rank of 'x', " + std::to_string(rank), describe(indices));
  Value cells = moveaxis(b, x, {axis}, {-1});
  Value places =
      moveaxis(b, count_from_end(b, indices, ir::shape_of(x)[axis], "indices"), {axis}, {-1});
  Shape from = ir::shape_of(cells), at = ir::shape_of(places);
  Shape shared =
      broadcast_shapes(b, {Shape(from.begin(), from.end() - 1), Shape(at.begin(), at.end() - 1)});
  auto widen = [&](Value value) {
    Shape shape = shared;
    shape.push_back(ir::shape_of(value).back());
    return broadcast_to(b, value, shape);
  };
  places = widen(places);
  Value taken;
  if (takes_nothing(b, x, indices, axis))
    taken = without_cells(b, ir::dtype_of(x), ir::shape_of(places));
  else
    taken = squeeze(b,
                    gather_cells(b, widen(cells), expand_dims(b, places, {-1}), {0}, rank - 1,
                                 {"take_along_axis", "indices", {along(axis)}}),
                    Axes{rank});
  return moveaxis(b, taken, {-1}, {axis});
}

} // namespace kolam::language
