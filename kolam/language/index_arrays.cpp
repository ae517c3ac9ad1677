// Splits an index into slices and one gather.
#include "kolam/language/index_arrays.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/reshape.h"
#include "kolam/language/take.h"
#include "kolam/language/transpose.h"

#include <numeric>

namespace kolam::language {
namespace {

/// The items that take places: where they act on what the other items leave, and how they lie among
/// them.
struct PlaceItems {
  std::vector<IndexItem> others; ///< with full slices for the places
  Axes dims;                     ///< of x[others...], one per entry of `places`
  std::vector<size_t> named;     ///< the same dims as errors name them: those of x
  std::vector<IndexItem> places;
  bool are_adjacent = true;
};

template <class T> bool is(const IndexItem& item) { return std::holds_alternative<T>(item); }

bool is_place(const IndexItem& item) { return is<int64_t>(item) || is<Value>(item); }

PlaceItems split_items(const std::vector<IndexItem>& items, int64_t rank) {
  int64_t taken = llvm::count_if(
      items, [](const IndexItem& item) { return is_place(item) || is<Slice>(item); });
  PlaceItems result;
  int64_t dim = 0, source = 0;
  bool interrupted = false;
  for (const IndexItem& item : items) {
    if (!is_place(item)) {
      result.others.push_back(item);
      int64_t covered = is<Ellipsis>(item) ? rank - taken : 1;
      dim += covered;
      source += is<NewAxis>(item) ? 0 : covered;
      interrupted = !result.places.empty();
      continue;
    }
    result.are_adjacent &= !interrupted;
    result.others.push_back(Slice{});
    result.dims.push_back(dim++);
    result.named.push_back(static_cast<size_t>(source++));
    result.places.push_back(item);
  }
  return result;
}

/// One item's places in a dim of `extent`, as i64.
Value places_of(Builder& b, const IndexItem& item, const Extent& extent, size_t dim) {
  if (auto* number = std::get_if<int64_t>(&item))
    return extent_value(b, place_of(b, *number, extent, dim));
  Value value = std::get<Value>(item);
  if (!is_integer(ir::dtype_of(value)))
    fail_argument(ErrorKind::index, "bad-index", "index", "integers for dim " + std::to_string(dim),
                  describe(value));
  if (extent == Extent(0))
    require_no_places(b, value, "index", "in dim " + std::to_string(dim));
  return count_from_end(b, value, extent, "index");
}

Axes counted(int64_t from, size_t count) {
  Axes axes(count);
  std::iota(axes.begin(), axes.end(), from);
  return axes;
}

} // namespace

Value index_arrays(Builder& b, Value x, const std::vector<IndexItem>& items) {
  bool has_array = llvm::any_of(items, [](const IndexItem& item) {
    return is<Value>(item) && ir::rank_of(std::get<Value>(item)) > 0;
  });
  if (!has_array)
    return index(b, x, items);
  PlaceItems split = split_items(items, ir::rank_of(x));
  Value cells = index(b, x, split.others);
  Shape shape = ir::shape_of(cells);
  Values columns;
  for (auto [dim, named, item] : llvm::zip(split.dims, split.named, split.places))
    columns.push_back(places_of(b, item, shape[dim], named));
  columns = broadcast(b, columns);
  Shape arrays = ir::shape_of(columns.front());
  int64_t array_rank = static_cast<int64_t>(arrays.size());
  Axes taken = split.dims;
  for (int64_t& dim : taken)
    dim += array_rank;
  bool is_empty = llvm::any_of(split.dims, [&](int64_t dim) { return shape[dim] == Extent(0); });
  if (is_empty) {
    for (int64_t dim : split.dims)
      shape[dim] = 1;
    shape.insert(shape.begin(), arrays.begin(), arrays.end());
    cells = without_cells(b, ir::dtype_of(x), shape);
  } else {
    PlacesText text{"index", "index", {}};
    for (size_t dim : split.named)
      text.dims.push_back("in dim " + std::to_string(dim));
    cells = gather_cells(b, cells, stack(b, columns, -1), split.dims, 0, text);
  }
  cells = squeeze(b, cells, taken);
  if (!split.are_adjacent)
    return cells;
  return moveaxis(b, cells, counted(0, array_rank), counted(split.dims.front(), array_rank));
}

} // namespace kolam::language
