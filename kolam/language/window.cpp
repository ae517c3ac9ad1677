// Tests the arguments that gather and scatter share.
#include "kolam/language/window.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/language/transpose.h"

namespace kolam::language {
namespace {

/// Column `column` of the indices as i64: the extent of the last dim is 1. u64 from 2^63 on becomes
/// negative, which is out of bounds as it should be.
Value index_column(Builder& b, Value indices, int64_t column) {
  Shape shape = ir::shape_of(indices);
  if (shape.back() != Extent(1)) {
    Shape starts(shape.size(), Extent(0));
    starts.back() = column;
    shape.back() = 1;
    llvm::SmallVector<int64_t> steps(shape.size(), 1);
    indices = ir::SliceOp::create(b, tensor_type(b, ir::dtype_of(indices), shape), indices,
                                  ir::ExtentsAttr::of(b.getContext(), starts), steps);
  }
  return cast(b, indices, DType::i64);
}

std::string dims_text(int64_t count) {
  return std::to_string(count) + (count == 1 ? " dim" : " dims");
}

} // namespace

Axes window_dims(Value operand, Value indices, const Axes& dims, int64_t batched_dims,
                 std::string_view argument) {
  int64_t rank = ir::rank_of(operand);
  if (batched_dims < 0 || batched_dims > rank)
    fail_argument(ErrorKind::value, "axis-out-of-range", "batched_dims",
                  "a number from 0 to " + std::to_string(rank), std::to_string(batched_dims));
  if (!is_integer(ir::dtype_of(indices)))
    fail_argument(ErrorKind::type, "dtype-mismatch", "start_indices", "integers",
                  std::string(name(ir::dtype_of(indices))));
  if (ir::rank_of(indices) < batched_dims + 1)
    fail_argument(ErrorKind::value, "rank-mismatch", "start_indices",
                  dims_text(batched_dims + 1) + " or more", describe(indices));
  Axes normal;
  for (int64_t dim : dims) {
    normal.push_back(normalize_axis(dim, rank - batched_dims, argument));
    if (std::count(normal.begin(), normal.end(), normal.back()) > 1)
      fail_argument(ErrorKind::value, "duplicate-axis", argument, "every axis once",
                    "axis " + std::to_string(normal.back()) + " twice");
  }
  if (ir::shape_of(indices).back() != Extent(static_cast<int64_t>(dims.size())))
    fail_argument(ErrorKind::value, "shape-mismatch", "start_indices",
                  "extent " + std::to_string(dims.size()) +
                      " in the last dim, one column per entry of '" + std::string(argument) + "'",
                  describe(indices) +
                      (dims.size() == 1 ? "; write start_indices[..., None]"
                                        : "; write stack([i, j, ...], -1) for the indices of each "
                                          "dim"));
  return normal;
}

void require_lengths(Builder& b, const Shape& operand, const Windows& windows,
                     std::string_view argument, const Extent& some) {
  for (auto [dim, length] : llvm::zip(windows.dims, windows.lengths)) {
    const Extent& extent = operand[windows.batched_dims + dim];
    std::string message = "argument '" + std::string(argument) + "': expected a length from 0 to " +
                          extent.to_string() + " along dim " + std::to_string(dim) + ", but got " +
                          length.to_string();
    require_at_most(b, 0, length, "window-too-large", message);
    require_at_most(b, length * some, extent, "window-too-large", message);
  }
}

void require_inside(Builder& b, const Shape& operand, Value indices, const Windows& windows,
                    std::string_view function) {
  Value inside;
  for (auto [column, dim] : llvm::enumerate(windows.dims)) {
    Value start = index_column(b, indices, static_cast<int64_t>(column));
    Extent last = operand[windows.batched_dims + dim] - windows.lengths[column];
    Value above = elementwise(b, Fn::greater_equal, {start, extent_value(b, 0)});
    Value below = elementwise(b, Fn::less_equal, {start, extent_value(b, last)});
    Value both = elementwise(b, Fn::logical_and, {above, below});
    inside = inside ? elementwise(b, Fn::logical_and, {inside, both}) : both;
  }
  if (inside)
    check(b, inside, "index-out-of-range",
          (function.empty() ? "" : std::string(function) + ": ") +
              "argument 'start_indices': expected every window inside the operand " +
              to_string(operand) + ", but got one outside");
}

Value element_places(Builder& b, Value indices, const Shape& lengths, const Shape& modulo) {
  Shape batch = ir::shape_of(indices);
  const auto columns = static_cast<int64_t>(lengths.size());
  batch.pop_back();
  Shape space = batch;
  space.insert(space.end(), lengths.begin(), lengths.end());
  const auto front = static_cast<int64_t>(batch.size());
  Shape one = batch;
  one.insert(one.end(), lengths.size(), Extent(1));
  Values places;
  for (int64_t column = 0; column < columns; ++column) {
    Value start = reshape(b, index_column(b, indices, column), one);
    if (!modulo.empty()) // before the offset, which may reach beyond i64
      start = elementwise(b, Fn::remainder, {start, extent_scalar(b, modulo[column], DType::i64)});
    Value place = elementwise(b, Fn::add, {start, iota(b, space, front + column, DType::i64)});
    if (!modulo.empty())
      place = elementwise(b, Fn::remainder, {place, extent_scalar(b, modulo[column], DType::i64)});
    places.push_back(place);
  }
  return stack(b, places, front + columns);
}

/// The order of a window's dims in which `dims` come first.
static Axes dims_first(int64_t rank, int64_t front, const Axes& dims) {
  Axes order;
  for (int64_t dim = 0; dim < front; ++dim)
    order.push_back(dim);
  for (int64_t dim : dims)
    order.push_back(front + dim);
  for (int64_t dim = front; dim < rank; ++dim)
    if (!llvm::is_contained(dims, dim - front))
      order.push_back(dim);
  return order;
}

Value window_elements(Builder& b, Value windows, int64_t front, const Axes& dims) {
  Shape shape = ir::shape_of(windows);
  const auto rank = static_cast<int64_t>(shape.size());
  Shape elements(shape.begin(), shape.begin() + front);
  for (int64_t dim : dims)
    elements.push_back(shape[front + dim]);
  for (int64_t dim = front; dim < rank; ++dim)
    elements.push_back(llvm::is_contained(dims, dim - front) ? Extent(1) : shape[dim]);
  return reshape(b, permute_dims(b, windows, dims_first(rank, front, dims)), elements);
}

Value windows_of_elements(Builder& b, Value elements, const Shape& windows, int64_t front,
                          const Axes& dims) {
  const Axes order = dims_first(static_cast<int64_t>(windows.size()), front, dims);
  Shape moved;
  Axes inverse(order.size());
  for (auto [to, from] : llvm::enumerate(order)) {
    moved.push_back(windows[from]);
    inverse[from] = static_cast<int64_t>(to);
  }
  return permute_dims(b, reshape(b, elements, moved), inverse);
}

std::string window_mode(std::string_view mode, std::initializer_list<std::string_view> modes) {
  if (llvm::is_contained(modes, mode))
    return std::string(mode);
  std::string known;
  for (std::string_view one : modes)
    known += (known.empty() ? "'" : ", '") + std::string(one) + "'";
  fail_argument(ErrorKind::value, "unknown-mode", "mode", "one of " + known,
                "'" + std::string(mode) + "'");
}

void unify_batched(Builder& b, Values& values, int64_t batched_dims) {
  std::vector<Shape> shapes;
  for (Value value : values)
    shapes.push_back(ir::shape_of(value));
  for (int64_t dim = 0; dim < batched_dims; ++dim) {
    Extent common = shapes.front()[dim];
    for (const Shape& shape : shapes)
      common = unify(b, common, shape[dim], "batched dim " + std::to_string(dim));
    for (Shape& shape : shapes)
      shape[dim] = common;
  }
  for (auto [value, shape] : llvm::zip(values, shapes))
    value = with_shape(b, value, shape);
}

} // namespace kolam::language
