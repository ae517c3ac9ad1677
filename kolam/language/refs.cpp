// Takes the index of a Ref apart into a slice, a gather and a reshape.
#include "kolam/language/refs.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/index.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/language/take.h"

namespace kolam::language {
namespace {

Shape ref_shape(Value ref) { return ir::shape_of(ir::value_type(ref)); }

mlir::Type ref_type(Builder& b, DType dtype, const Shape& shape) {
  return ir::RefType::get(tensor_type(b, dtype, shape));
}

DType ref_dtype(Value ref) { return ir::dtype_of(ir::value_type(ref)); }

std::vector<RefItem> without_ellipsis(const std::vector<RefItem>& items, size_t rank) {
  auto is_ellipsis = [](const RefItem& item) { return std::holds_alternative<Ellipsis>(item); };
  const auto ellipses = static_cast<size_t>(llvm::count_if(items, is_ellipsis));
  const size_t taken = items.size() - ellipses;
  if (ellipses > 1)
    fail_argument(ErrorKind::index, "bad-index", "index", "at most one ellipsis",
                  std::to_string(ellipses));
  if (taken > rank)
    fail_argument(ErrorKind::index, "rank-mismatch", "index",
                  "at most " + std::to_string(rank) + " items", std::to_string(taken));
  std::vector<RefItem> result;
  for (const RefItem& item : items)
    if (is_ellipsis(item))
      result.insert(result.end(), rank - taken, Slice{});
    else
      result.push_back(item);
  result.resize(rank, Slice{});
  return result;
}

/// Refuses windows whose places cannot be counted.
void require_window(const DynamicSlice& window, size_t dim) {
  const auto size = window.size.constant();
  int64_t span = 0;
  const bool is_long = __builtin_mul_overflow(window.stride, size.value_or(1), &span) ||
                       span > INT64_MAX / 2 || span < -(INT64_MAX / 2);
  const std::string actual = "ds(..., " + window.size.to_string() + ", " +
                             std::to_string(window.stride) + ") in dim " + std::to_string(dim);
  if (size && *size < 0)
    fail_argument(ErrorKind::index, "bad-index", "index", "a ds of at least 0 elements", actual);
  if (is_long)
    fail_argument(ErrorKind::index, "bad-index", "index",
                  "a ds whose size times stride is below 2^62", actual);
}

/// What an item takes of a dim by itself.
struct Taken {
  Value start;
  int64_t step = 1;
  Extent size;
  bool is_dropped = false; ///< the dim leaves the shape
  Value places;            ///< of an array, which takes elements after that
};

Taken take(Builder& b, const RefItem& item, const Extent& extent, size_t dim) {
  auto number = [&](const Extent& place) { return extent_scalar(b, place, DType::i64); };
  if (auto* i = std::get_if<int64_t>(&item))
    return {number(place_of(b, *i, extent, dim)), 1, 1, true, {}};
  if (auto* slice = std::get_if<Slice>(&item)) {
    SliceBox box = resolve_slice(*slice, extent);
    if (!box.reversed)
      return {number(box.start), box.step, box.size, false, {}};
    return {number(extent - 1 - box.start), -box.step, box.size, false, {}};
  }
  if (auto* window = std::get_if<DynamicSlice>(&item)) {
    require_window(*window, dim);
    if (auto* start = std::get_if<int64_t>(&window->start)) {
      auto size = window->size.constant(), all = extent.constant();
      int64_t last = *start + window->stride * (size.value_or(1) - 1);
      if (size && all && *size > 0 && (*start < 0 || last < 0 || *start >= *all || last >= *all))
        fail_argument(ErrorKind::index, "index-out-of-range", "index",
                      "ds(start, size, stride) inside dim " + std::to_string(dim) + " of extent " +
                          extent.to_string(),
                      "ds(" + std::to_string(*start) + ", " + window->size.to_string() + ", " +
                          std::to_string(window->stride) + ")");
      return {integer_constant(b, *start, DType::i64), window->stride, window->size, false, {}};
    }
    Value start = std::get<Value>(window->start);
    if (ir::rank_of(start) != 0 || !is_integer(ir::dtype_of(start)))
      fail_argument(ErrorKind::index, "bad-index", "index", "an integer scalar as start of a ds",
                    describe(start));
    return {cast(b, start, DType::i64), window->stride, window->size, false, {}};
  }
  Value places = std::get<Value>(item);
  if (!is_integer(ir::dtype_of(places)))
    fail_argument(ErrorKind::index, "bad-index", "index", "integers in dim " + std::to_string(dim),
                  describe(places));
  Value counted = cast(b, count_from_end(b, places, extent, "index"), DType::i64);
  if (ir::rank_of(places) == 0)
    return {counted, 1, 1, true, {}};
  return {number(0), 1, extent, true, counted};
}

} // namespace

Value ref_at(Builder& b, Value ref, const std::vector<RefItem>& given) {
  const Shape shape = ref_shape(ref);
  const std::vector<RefItem> items = without_ellipsis(given, shape.size());
  std::vector<Taken> taken;
  bool has_arrays = false;
  for (auto [dim, item] : llvm::enumerate(items)) {
    taken.push_back(take(b, item, shape[dim], dim));
    has_arrays |= static_cast<bool>(taken.back().places);
  }
  Values starts;
  llvm::SmallVector<int64_t> steps;
  Shape sizes, kept;
  for (const Taken& own : taken) {
    starts.push_back(own.start);
    steps.push_back(own.step);
    sizes.push_back(own.size);
    if (!own.is_dropped)
      kept.push_back(own.size);
  }
  Value view = ref;
  const bool is_whole = llvm::all_of(items, [](const RefItem& item) {
    auto* slice = std::get_if<Slice>(&item);
    return slice && !slice->start && !slice->stop && slice->step == 1;
  });
  if (!is_whole)
    view = ir::RefSliceOp::create(b, ref_type(b, ref_dtype(ref), sizes), ref, starts, steps);
  if (!has_arrays)
    return kept == sizes ? view : ref_reshape(b, view, kept);

  // Arrays, and scalars beside them, whose dims have one element by now.
  Values arrays;
  llvm::SmallVector<int64_t> dims;
  for (auto [dim, own] : llvm::enumerate(taken))
    if (own.is_dropped) {
      dims.push_back(static_cast<int64_t>(dim));
      arrays.push_back(own.places ? own.places : integer_constant(b, 0, DType::i64));
    }
  arrays = broadcast(b, arrays);
  const Shape batch = ir::shape_of(arrays[0]);
  Shape result = batch;
  result.insert(result.end(), kept.begin(), kept.end());
  Value indices = stack(b, arrays, static_cast<int64_t>(batch.size()));
  view = ir::RefGatherOp::create(b, ref_type(b, ref_dtype(ref), result), view, indices, dims);
  const bool is_run = dims.back() - dims.front() + 1 == static_cast<int64_t>(dims.size());
  if (!is_run || dims.front() == 0)
    return view;
  Axes order; // the arrays' dims behind those in front of the first
  const auto rank = static_cast<int64_t>(batch.size());
  for (int64_t dim = 0; dim < dims.front(); ++dim)
    order.push_back(rank + dim);
  for (int64_t dim = 0; dim < rank; ++dim)
    order.push_back(dim);
  for (auto dim = rank + dims.front(); dim < static_cast<int64_t>(result.size()); ++dim)
    order.push_back(dim);
  return ref_transpose(b, view, order);
}

Value ref_reshape(Builder& b, Value ref, Shape shape) {
  auto is_negative = [](const Extent& extent) { return extent.constant().value_or(0) < 0; };
  auto open = llvm::find(shape, Extent(-1));
  if (open != shape.end()) {
    Extent rest = 1;
    for (const Extent& extent : shape)
      rest = &extent == &*open ? rest : rest * extent;
    if (is_negative(rest) || rest == Extent(0) || llvm::count_if(shape, is_negative) > 1)
      fail_argument(ErrorKind::value, "bad-shape", "shape",
                    "at most one -1, which the other extents decide", to_string(shape));
    *open = floordiv(element_count(ref_shape(ref)), rest);
  }
  if (llvm::any_of(shape, is_negative))
    fail_argument(ErrorKind::value, "bad-shape", "shape", "extents of at least 0, or one -1",
                  to_string(shape));
  if (!(element_count(shape) == element_count(ref_shape(ref))))
    fail_argument(ErrorKind::value, "shape-mismatch", "shape",
                  "as many elements as " + to_string(ref_shape(ref)) + " has", to_string(shape));
  return ir::RefReshapeOp::create(b, ref_type(b, ref_dtype(ref), shape), ref);
}

Value ref_transpose(Builder& b, Value ref, const Axes& axes) {
  const Shape from = ref_shape(ref);
  const auto rank = static_cast<int64_t>(from.size());
  llvm::SmallVector<int64_t> permutation;
  Shape shape;
  for (int64_t axis : axes) {
    permutation.push_back(normalize_axis(axis, rank));
    shape.push_back(from[static_cast<size_t>(permutation.back())]);
  }
  llvm::SmallVector<int64_t> sorted = permutation;
  llvm::sort(sorted);
  if (static_cast<int64_t>(axes.size()) != rank ||
      std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    fail_argument(ErrorKind::value, "rank-mismatch", "axes",
                  "each of " + std::to_string(rank) + " axes once", std::to_string(axes.size()));
  return ir::RefTransposeOp::create(b, ref_type(b, ref_dtype(ref), shape), ref, permutation);
}

Value ref_bitcast(Builder& b, Value ref, DType dtype) {
  DType own = ref_dtype(ref);
  if (byte_width(own) != byte_width(dtype) || (own == DType::boolean) != (dtype == DType::boolean))
    fail_argument(ErrorKind::type, "dtype-mismatch", "dtype",
                  "a dtype as wide as " + std::string(name(own)), std::string(name(dtype)));
  return ir::RefBitcastOp::create(b, ref_type(b, dtype, ref_shape(ref)), ref);
}

Value ref_select(Builder& b, Value selector, const Values& refs) {
  if (ir::rank_of(selector) != 0 || !is_integer(ir::dtype_of(selector)))
    fail_argument(ErrorKind::index, "bad-index", "index", "an integer scalar", describe(selector));
  return ir::RefSelectOp::create(b, refs[0].getType(), selector, refs);
}

static Value as_mask(Builder& b, Value mask, Value ref) {
  if (mask && ir::dtype_of(mask) != DType::boolean)
    fail_argument(ErrorKind::type, "dtype-mismatch", "mask", "booleans, such as mask != 0",
                  describe(mask));
  return mask ? broadcast_to(b, mask, ref_shape(ref)) : mask;
}

Value ref_read(Builder& b, Value ref, Value mask, Value other) {
  if (other)
    other = broadcast_to(b, cast(b, other, ref_dtype(ref)), ref_shape(ref));
  return ir::RefReadOp::create(b, ir::value_type(ref), ref, as_mask(b, mask, ref), other);
}

/// A value in the shape of the elements, to which a scalar broadcasts, of their dtype.
static Value fitting(Builder& b, Value value, Value ref) {
  if (ir::dtype_of(value) != ref_dtype(ref))
    fail_argument(ErrorKind::type, "dtype-mismatch", "value",
                  "dtype " + std::string(name(ref_dtype(ref))) + ", that of the Ref",
                  std::string(name(ir::dtype_of(value))) + "; convert it with astype");
  if (ir::rank_of(value) == 0)
    return broadcast_to(b, value, ref_shape(ref));
  if (ir::shape_of(value) != ref_shape(ref))
    fail_argument(ErrorKind::value, "shape-mismatch", "value",
                  "shape " + to_string(ref_shape(ref)) + ", that of the elements",
                  to_string(ir::shape_of(value)));
  return value;
}

void ref_write(Builder& b, Value ref, Value value, Value mask) {
  ir::RefWriteOp::create(b, ref, fitting(b, value, ref), as_mask(b, mask, ref));
}

Value ref_update(Builder& b, std::string_view kind, Value ref, Value value, Value compare,
                 Value mask) {
  const DType dtype = ref_dtype(ref);
  const bool is_bitwise = kind == "and" || kind == "or" || kind == "xor";
  const bool is_arithmetic = kind == "add" || kind == "max" || kind == "min";
  if ((is_bitwise && is_float(dtype)) || (is_arithmetic && dtype == DType::boolean))
    fail_argument(ErrorKind::type, "dtype-mismatch", "ref",
                  is_bitwise ? "a Ref of integers or booleans" : "a Ref of integers or floats",
                  "one of " + std::string(name(dtype)));
  return ir::RefUpdateOp::create(b, ir::value_type(ref), kind, ref, fitting(b, value, ref),
                                 compare ? fitting(b, compare, ref) : compare,
                                 as_mask(b, mask, ref));
}

} // namespace kolam::language
