// Takes an index apart into slices, windows and dims of extent 1.
#include "kolam/language/index.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"
#include "kolam/language/take.h"

#include <algorithm>

namespace kolam::language {
namespace {

/// Indices beyond are as far out of range as these, and these never overflow.
constexpr int64_t kFar = int64_t{1} << 61;

template <class T> bool is(const IndexItem& item) { return std::holds_alternative<T>(item); }

std::string dim_text(size_t dim) { return "dim " + std::to_string(dim); }

} // namespace

std::vector<IndexItem> expand_ellipsis(const std::vector<IndexItem>& items, int64_t rank) {
  int64_t ellipses = llvm::count_if(items, is<Ellipsis>);
  int64_t taken =
      static_cast<int64_t>(items.size()) - ellipses - llvm::count_if(items, is<NewAxis>);
  if (ellipses > 1)
    fail_argument(ErrorKind::index, "bad-index", "index", "at most one ellipsis",
                  std::to_string(ellipses));
  if (taken > rank)
    fail_argument(ErrorKind::index, "rank-mismatch", "index",
                  "at most " + std::to_string(rank) + " items that take a dim",
                  std::to_string(taken));
  std::vector<IndexItem> result;
  auto fill = [&] { result.insert(result.end(), rank - taken, Slice{}); };
  for (const IndexItem& item : items)
    if (is<Ellipsis>(item))
      fill();
    else
      result.push_back(item);
  if (ellipses == 0)
    fill();
  return result;
}

Extent place_of(Builder& b, int64_t i, const Extent& extent, size_t dim) {
  int64_t near = std::clamp(i, -kFar, kFar);
  Extent needed = near < 0 ? -near : near + 1;
  auto number = extent.constant();
  std::string range = number && *number == 0 ? "no index, for there are no elements,"
                                             : "an index from -" + extent.to_string() + " to " +
                                                   (extent - Extent(1)).to_string();
  require_at_most(b, needed, extent, "index-out-of-range",
                  "argument 'index': expected " + range + " in " + dim_text(dim) + ", but got " +
                      std::to_string(i),
                  ErrorKind::index);
  return near < 0 ? extent + Extent(near) : Extent(near);
}

namespace {

/// A scalar of the program as a start for dynamic_slice: negative ones counted from the end.
Value start_of(Builder& b, Value i, const Extent& extent, size_t dim) {
  if (ir::rank_of(i) != 0 || !is_integer(ir::dtype_of(i)))
    fail_argument(ErrorKind::index, "bad-index", "index", "an integer scalar for " + dim_text(dim),
                  describe(i));
  require_at_most(b, 1, extent, "index-out-of-range",
                  "argument 'index': expected elements in " + dim_text(dim) + ", but got extent " +
                      extent.to_string(),
                  ErrorKind::index);
  return count_from_end(b, i, extent, "index");
}

void require_starts(Value x, const Values& starts) {
  if (static_cast<int64_t>(starts.size()) != ir::rank_of(x))
    fail_argument(ErrorKind::value, "rank-mismatch", "starts",
                  std::to_string(ir::rank_of(x)) + " starts for " + describe(x),
                  std::to_string(starts.size()));
  for (Value start : starts)
    if (ir::rank_of(start) != 0 || !is_integer(ir::dtype_of(start)))
      fail_argument(ErrorKind::type, "dtype-mismatch", "starts", "integer scalars",
                    describe(start));
}

/// Every size from 0 to the extent of its dim.
void require_sizes(Builder& b, Value x, const Shape& sizes, std::string_view argument) {
  Shape shape = ir::shape_of(x);
  if (sizes.size() != shape.size())
    fail_argument(ErrorKind::value, "rank-mismatch", argument,
                  "rank " + std::to_string(shape.size()), "rank " + std::to_string(sizes.size()));
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    std::string message = "argument '" + std::string(argument) +
                          "': expected an extent from 0 to " + shape[dim].to_string() + " in " +
                          dim_text(dim) + ", but got " + sizes[dim].to_string();
    require_at_most(b, 0, sizes[dim], "shape-mismatch", message);
    require_at_most(b, sizes[dim], shape[dim], "shape-mismatch", message);
  }
}

} // namespace

Value index(Builder& b, Value x, const std::vector<IndexItem>& items) {
  Shape shape = ir::shape_of(x);
  std::vector<SliceBox> boxes;
  Axes removed, added; // dims of x, dims of the result
  Values starts;
  Shape sizes;
  PlacesText scalars{"index", "index", {}};
  Shape extents; // of the dims of scalars
  int64_t result_dim = 0;
  for (const IndexItem& item : expand_ellipsis(items, ir::rank_of(x))) {
    if (is<NewAxis>(item)) {
      added.push_back(result_dim++);
      continue;
    }
    size_t dim = boxes.size();
    SliceBox box{false, 0, shape[dim], 1};
    Value start;
    if (auto* range = std::get_if<Slice>(&item)) {
      box = resolve_slice(*range, shape[dim]);
      ++result_dim;
    } else {
      removed.push_back(static_cast<int64_t>(dim));
      if (auto* number = std::get_if<int64_t>(&item))
        box = {false, place_of(b, *number, shape[dim], dim), 1, 1};
      else
        start = start_of(b, std::get<Value>(item), shape[dim], dim);
    }
    if (start) {
      scalars.dims.push_back("in " + dim_text(dim));
      extents.push_back(shape[dim]);
    }
    boxes.push_back(box);
    sizes.push_back(start ? Extent(1) : box.size);
    starts.push_back(start);
  }
  x = slice(b, x, boxes);
  if (!scalars.dims.empty()) {
    LocationNote note(b, outside_text(scalars, extents));
    for (Value& start : starts)
      if (!start)
        start = weak_constant(b, int64_t{0}, DType::i64);
    x = dynamic_slice(b, x, starts, sizes);
  }
  return expand_dims(b, squeeze(b, x, removed), added);
}

Value dynamic_slice(Builder& b, Value x, const Values& starts, const Shape& sizes) {
  require_starts(x, starts);
  require_sizes(b, x, sizes, "sizes");
  return ir::DynamicSliceOp::create(b, tensor_type(b, ir::dtype_of(x), sizes), x, starts);
}

Value dynamic_update_slice(Builder& b, Value x, Value update, const Values& starts) {
  require_starts(x, starts);
  if (ir::dtype_of(update) != ir::dtype_of(x))
    fail_argument(ErrorKind::type, "dtype-mismatch", "update", std::string(name(ir::dtype_of(x))),
                  describe(update));
  require_sizes(b, x, ir::shape_of(update), "update");
  return ir::DynamicUpdateSliceOp::create(b, x.getType(), x, update, starts);
}

} // namespace kolam::language
