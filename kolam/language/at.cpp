// Takes an index apart into one scatter.
#include "kolam/language/at.h"

#include "kolam/language/at_region.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/composite.h"
#include "kolam/language/concat.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/index_arrays.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"
#include "kolam/language/take.h"
#include "kolam/language/transpose.h"
#include "kolam/support/identity.h"

#include <limits>
#include <numeric>

namespace kolam::language {
namespace {

template <class T> bool is(const IndexItem& item) { return std::holds_alternative<T>(item); }

bool is_mask(const IndexItem& item) {
  auto* value = std::get_if<Value>(&item);
  return value && ir::dtype_of(*value) == DType::boolean;
}

/// Without leading dims of extent 1 beyond `rank`, as NumPy's assignment drops them.
Value without_leading_ones(Builder& b, Value value, size_t rank) {
  Axes leading;
  Shape shape = ir::shape_of(value);
  for (size_t dim = 0; dim + rank < shape.size() && shape[dim] == Extent(1); ++dim)
    leading.push_back(static_cast<int64_t>(dim));
  return squeeze(b, value, leading);
}

int kind_of(DType dtype) { return dtype == DType::boolean ? 0 : is_integer(dtype) ? 1 : 2; }

/// `value` in the dtype of `x`.
Value at_dtype_of(Builder& b, Value x, Value value) {
  DType dtype = ir::dtype_of(x);
  if (kind_of(ir::dtype_of(value)) > kind_of(dtype))
    fail_argument(ErrorKind::type, "dtype-mismatch", "value",
                  "a value for " + std::string(name(dtype)) + ", or kolam.astype(value, ...)",
                  describe(value));
  return cast(b, value, dtype);
}

Value value_for(Builder& b, Value x, Value value, const Shape& cells) {
  value = without_leading_ones(b, at_dtype_of(b, x, value), cells.size());
  std::vector<Shape> shapes{ir::shape_of(value)};
  std::string expected = "a value that broadcasts to the elements, " + to_string(cells);
  bool fits = shapes[0].size() <= cells.size();
  for (size_t i = 0; fits && i < shapes[0].size(); ++i) {
    const Extent& given = shapes[0][shapes[0].size() - 1 - i];
    const Extent& wanted = cells[cells.size() - 1 - i];
    fits = given == Extent(1) || given == wanted || !given.is_constant() || !wanted.is_constant();
  }
  if (!fits)
    fail_argument(ErrorKind::value, "shape-mismatch", "value", expected, describe(value));
  return broadcast_to(b, value, cells);
}

/// The function that combines an element and a value; none for `set`.
Fn function_of(Update update, DType dtype) {
  bool is_boolean = dtype == DType::boolean;
  switch (update) {
  case Update::add:
    return is_boolean ? Fn::logical_or : Fn::add;
  case Update::multiply:
    return is_boolean ? Fn::logical_and : Fn::multiply;
  case Update::min:
    return is_boolean ? Fn::logical_and : Fn::minimum;
  case Update::max:
    return is_boolean ? Fn::logical_or : Fn::maximum;
  case Update::subtract:
    return Fn::subtract;
  case Update::divide:
    return Fn::divide;
  default:
    return Fn::pow;
  }
}

void require_accepted(Update update, Value x) {
  if (update == Update::set)
    return;
  Fn fn = function_of(update, ir::dtype_of(x));
  if (!accepts(fn, ir::dtype_of(x)))
    fail_argument(ErrorKind::type, "dtype-mismatch", "x",
                  std::string(fn == Fn::divide ? "floats" : "numbers") + " for '" +
                      std::string(elementwise_row(fn).name) + "'",
                  describe(x));
}

Value combined(Builder& b, Value cells, Value value, Update update) {
  if (update == Update::set)
    return value;
  return elementwise(b, function_of(update, ir::dtype_of(cells)), {cells, value});
}

/// `combined` of elements that no scatter combines. Whoever holds an extreme gets all of its
/// derivative, as of a scatter.
Value combined_in_place(Builder& b, Value cells, Value value, Update update) {
  const bool is_extreme = update == Update::min || update == Update::max;
  if (!is_extreme || !is_float(ir::dtype_of(cells)))
    return combined(b, cells, value, update);
  return composite(b, "extreme_at", {cells, value}, {},
                   [&](const Values& own) { return combined(b, own[0], own[1], update); });
}

std::string_view scatter_mode(Outside outside) {
  return outside == Outside::clip ? "clip" : outside == Outside::promise ? "promise" : "drop";
}

/// The name of a combiner that means the same: kMin and kMax do not spread NaN.
std::string_view combiner_name(Update update, DType dtype) {
  switch (update) {
  case Update::set:
    return "kUpdate";
  case Update::add:
    return dtype == DType::boolean ? "" : "kAdd";
  case Update::multiply:
    return dtype == DType::boolean ? "" : "kMul";
  case Update::min:
    return is_integer(dtype) ? "kMin" : "";
  case Update::max:
    return is_integer(dtype) ? "kMax" : "";
  default:
    return "";
  }
}

ScatterSpec spec_of(const IndexRegion& region, Outside outside) {
  ScatterSpec spec;
  spec.dims = region.dims;
  spec.fits_where_any = true;
  spec.mode = scatter_mode(outside);
  return spec;
}

/// The box of a region that is one, and writing it back.
Value update_box(Builder& b, Value x, const IndexRegion& region, Value updates, Update update) {
  if (update != Update::set)
    updates = combined_in_place(b, slice(b, x, region.boxes), updates, update);
  if (region.dims.empty())
    return updates;
  Values starts;
  for (const SliceBox& box : region.boxes)
    starts.push_back(extent_value(b, box.start));
  return dynamic_update_slice(b, x, updates, starts);
}

bool takes_nothing(const Shape& cells) { return element_count(cells) == Extent(0); }

/// x with update(x, value) where the mask is true.
Value update_masked(Builder& b, Value x, const std::vector<IndexItem>& items, Value value,
                    Update update) {
  Shape shape = ir::shape_of(x);
  Value mask;
  int64_t before = 0, after = 0;
  bool has_ellipsis = llvm::any_of(items, is<Ellipsis>);
  for (const IndexItem& item : items) {
    if (is_mask(item) && !mask) {
      mask = std::get<Value>(item);
      continue;
    }
    auto* range = std::get_if<Slice>(&item);
    bool is_whole = range && !range->start && !range->stop && range->step == 1;
    if (!is_whole && !is<Ellipsis>(item))
      fail_argument(ErrorKind::index, "bad-index", "index",
                    "only full slices beside a mask; kolam.where(mask, value, x) takes any",
                    "another item");
    if (is_whole)
      ++(mask ? after : before);
  }
  int64_t rank = static_cast<int64_t>(shape.size()), covered = ir::rank_of(mask);
  if (before + covered + after > rank)
    fail_argument(ErrorKind::index, "rank-mismatch", "index",
                  "a mask of at most " + std::to_string(rank - before - after) + " dims",
                  describe(mask));
  // An ellipsis before the mask takes the dims that are left.
  int64_t left = rank - before - covered - after;
  bool leads = false;
  for (const IndexItem& item : items) {
    leads |= is<Ellipsis>(item);
    if (is_mask(item))
      break;
  }
  if (has_ellipsis && leads)
    before += left;
  int64_t behind = rank - before - covered;
  Shape mask_shape = ir::shape_of(mask);
  for (int64_t dim = 0; dim < covered; ++dim)
    mask_shape[dim] = unify(b, shape[before + dim], mask_shape[dim],
                            "argument 'index', dim " + std::to_string(dim) + " of the mask");
  mask = with_shape(b, mask, mask_shape);
  Axes trailing(behind);
  std::iota(trailing.begin(), trailing.end(), covered);
  mask = expand_dims(b, mask, trailing);

  value = at_dtype_of(b, x, value);
  value = without_leading_ones(b, value, static_cast<size_t>(before + 1 + behind));
  int64_t value_rank = ir::rank_of(value);
  if (value_rank > behind) { // its dim of the elements that the mask keeps becomes the mask's dims
    int64_t kept = value_rank - behind - 1;
    if (ir::shape_of(value)[kept] != Extent(1) || value_rank > before + 1 + behind)
      fail_argument(ErrorKind::value, "shape-mismatch", "value",
                    "a value for every element that the mask keeps, whose number only the running "
                    "program knows: a scalar; kolam.where(mask, values, x) takes values of x's "
                    "shape",
                    describe(value));
    value = squeeze(b, value, Axes{kept});
    Axes ones(covered);
    std::iota(ones.begin(), ones.end(), kept);
    value = expand_dims(b, value, ones);
  }
  value = broadcast_to(b, value, shape);
  return elementwise(b, Fn::where,
                     {broadcast_to(b, mask, shape), combined_in_place(b, x, value, update), x});
}

/// The value that a place outside gives.
Value default_fill(Builder& b, DType dtype) {
  if (dtype == DType::boolean)
    return weak_constant(b, true, dtype);
  if (is_float(dtype))
    return weak_constant(b, std::numeric_limits<double>::quiet_NaN(), dtype);
  int bits = 8 * byte_width(dtype);
  bool is_unsigned = is_unsigned_integer(dtype);
  int64_t value = is_unsigned ? -1 : std::numeric_limits<int64_t>::min() >> (64 - bits);
  return integer_constant(b, value, dtype);
}

} // namespace

Value update_at(Builder& b, Value x, const std::vector<IndexItem>& items, Value value,
                Update update, Outside outside) {
  require_accepted(update, x);
  if (llvm::any_of(items, is_mask))
    return update_masked(b, x, items, value, update);
  Shape shape = ir::shape_of(x);
  IndexRegion region = region_of(b, x, resolved(b, items, shape, outside));
  Shape cells = result_shape(region);
  value = value_for(b, x, value, cells);
  if (takes_nothing(cells))
    return x;
  Value updates = as_updates(b, value, region);
  if (region.is_box)
    return update_box(b, x, region, updates, update);
  ScatterSpec spec = spec_of(region, outside);
  LocationNote note(b, places_text(region, shape));
  DType dtype = ir::dtype_of(x);
  spec.combiner = combiner_name(update, dtype);
  if (!spec.combiner.empty())
    return scatter(b, {x}, {updates}, indices_of(b, region), spec)[0];
  auto cell = tensor_type(b, dtype, {});
  CombinerRegion combiner{
      make_region(b, {cell, cell},
                  [&](const Values& v) { return Values{combined(b, v[0], v[1], update)}; }),
      {}};
  return scatter(b, {x}, {updates}, indices_of(b, region), spec, std::move(combiner))[0];
}

Value apply_at(Builder& b, Value x, const std::vector<IndexItem>& items, CombinerRegion function,
               Outside outside) {
  if (llvm::any_of(items, is_mask))
    fail_argument(ErrorKind::index, "bad-index", "index",
                  "integers, slices or index arrays; kolam.where(mask, f(x), x) takes a mask",
                  "a mask");
  Shape shape = ir::shape_of(x);
  IndexRegion region = region_of(b, x, resolved(b, items, shape, outside));
  Shape cells = result_shape(region);
  if (takes_nothing(cells))
    return x;
  if (region.is_box) { // a scatter at one place
    for (int64_t dim : region.dims)
      region.columns.push_back(extent_value(b, region.boxes[dim].start));
    region.is_box = false;
  }
  Value zero = cast(b, weak_constant(b, false, DType::boolean), ir::dtype_of(x));
  Value updates = as_updates(b, broadcast_to(b, zero, cells), region);
  LocationNote note(b, places_text(region, shape));
  return scatter(b, {x}, {updates}, indices_of(b, region), spec_of(region, outside),
                 std::move(function))[0];
}

Value get_at(Builder& b, Value x, const std::vector<IndexItem>& items, Outside outside,
             Value fill) {
  Shape shape = ir::shape_of(x);
  std::vector<IndexItem> all = resolved(b, items, shape, outside);
  if (outside != Outside::drop)
    return index_arrays(b, x, all);
  std::vector<IndexItem> plain = all;
  IndexRegion region = region_of(b, x, all);
  if (region.array_dims.empty())
    return index_arrays(b, x, all);
  DType dtype = ir::dtype_of(x);
  Value other = fill ? at_dtype_of(b, x, fill) : default_fill(b, dtype);
  if (ir::rank_of(other) != 0)
    fail_argument(ErrorKind::value, "rank-mismatch", "fill_value", "a scalar", describe(fill));
  Shape cells = result_shape(region);
  bool is_empty =
      llvm::any_of(region.array_dims, [&](int64_t dim) { return shape[dim] == Extent(0); });
  if (is_empty)
    return broadcast_to(b, other, cells);
  // The same places without the dims of slices.
  for (IndexItem& item : plain)
    if (is<Slice>(item))
      item = Slice{};
  Value is_inside = inside(b, region_of(b, x, plain), shape);
  int64_t behind = static_cast<int64_t>(region.result.size()) - region.array_position;
  Axes trailing(behind);
  std::iota(trailing.begin(), trailing.end(), static_cast<int64_t>(region.arrays.size()));
  is_inside = broadcast_to(b, expand_dims(b, is_inside, trailing), cells);
  Value taken = with_shape(b, index_arrays(b, x, all), cells);
  return elementwise(b, Fn::where, {is_inside, taken, other});
}

Value put_along_axis(Builder& b, Value x, Value indices, Value values, int64_t axis) {
  int64_t rank = ir::rank_of(x);
  axis = normalize_axis(axis, rank);
  if (ir::rank_of(indices) != rank)
    fail_argument(ErrorKind::value, "rank-mismatch", "indices",
                  "the rank of 'x', " + std::to_string(rank), describe(indices));
  Shape shape = ir::shape_of(x), at = ir::shape_of(indices);
  Value places = count_from_end(b, indices, shape[axis], "indices");
  Shape wanted = shape;
  wanted[axis] = at[axis];
  places = broadcast_to(b, places, wanted);
  values = value_for(b, x, values, wanted);
  if (takes_nothing(wanted))
    return x;
  LocationNote note(
      b, outside_text({"put_along_axis", "indices", {"along axis " + std::to_string(axis)}},
                      {shape[axis]}));
  ScatterSpec spec{.dims = {0}, .batched_dims = rank - 1};
  Value rows = moveaxis(b, x, {axis}, {-1});
  Value columns = expand_dims(b, moveaxis(b, places, {axis}, {-1}), {-1});
  Value updates = expand_dims(b, moveaxis(b, values, {axis}, {-1}), {-1});
  return moveaxis(b, scatter(b, {rows}, {updates}, columns, spec)[0], {-1}, {axis});
}

} // namespace kolam::language
