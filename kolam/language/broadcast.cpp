// Broadcasts values.
#include "kolam/language/broadcast.h"

#include "kolam/language/promotion.h"

namespace kolam::language {
namespace {

void check_relation(Builder& b, std::string_view relation, const Extent& x, const Extent& y,
                    std::string_view slug, const std::string& message) {
  Value holds =
      ir::ElementwiseOp::create(b, tensor_type(b, DType::boolean, {}), b.getStringAttr(relation),
                                mlir::ValueRange{extent_value(b, x), extent_value(b, y)});
  check(b, holds, slug, message);
}

/// True where `shape` with dims of extent 1 behind it broadcasts to `whole`.
bool fits_at_the_left(const Shape& shape, const Shape& whole) {
  for (auto [own, other] : llvm::zip(shape, whole))
    if (own != other && own != Extent(1) && other != Extent(1))
      return false;
  return true;
}

/// Behind the words of a mismatch: all shapes, and what to write where an operand of fewer dims
/// fits the others' leading ones.
std::string broadcast_note(const std::vector<Shape>& shapes) {
  std::string text = "; the shapes are ";
  for (auto [i, shape] : llvm::enumerate(shapes))
    text += (i == 0 ? "" : i + 1 == shapes.size() ? " and " : ", ") + to_string(shape);
  auto longer = [](const Shape& x, const Shape& y) { return x.size() < y.size(); };
  const Shape& whole = *std::max_element(shapes.begin(), shapes.end(), longer);
  for (auto [i, shape] : llvm::enumerate(shapes)) {
    if (shape.empty() || shape.size() == whole.size() || !fits_at_the_left(shape, whole))
      continue;
    text += "; write operand " + std::to_string(i) + " as " + (shape.size() == 1 ? "x[:" : "x[...");
    for (size_t d = shape.size(); d < whole.size(); ++d)
      text += ", None";
    return text + "] where its dims are the leading ones";
  }
  return text;
}

/// Whether two extents that are not the same differ whatever their symbols are.
bool never_equal(const Extent& x, const Extent& y) { return (x - y).is_constant(); }

} // namespace

Value extent_value(Builder& b, const Extent& extent) {
  if (auto number = extent.constant())
    return weak_constant(b, *number, DType::i64);
  return ir::ExtentOp::create(b, tensor_type(b, DType::i64, {}),
                              b.getStringAttr(extent.to_string()));
}

void check(Builder& b, Value condition, std::string_view slug, const std::string& message) {
  ir::CheckOp::create(b, condition, b.getStringAttr(slug), b.getStringAttr(message));
}

void check_equal(Builder& b, const Extent& x, const Extent& y, std::string_view slug,
                 const std::string& message) {
  check_relation(b, "equal", x, y, slug, message);
}

void require_at_most(Builder& b, const Extent& x, const Extent& y, std::string_view slug,
                     const std::string& message, ErrorKind kind) {
  Extent slack = y - x;
  if (max(slack, 0) == slack)
    return;
  if (slack.is_constant())
    fail(kind, slug, message);
  check_relation(b, "less_equal", x, y, slug, message);
}

Extent unify(Builder& b, const Extent& x, const Extent& y, std::string_view what,
             std::string_view note) {
  if (x == y)
    return x;
  std::string message = std::string(what) + ": expected equal extents, but got " + x.to_string() +
                        " and " + y.to_string();
  if (never_equal(x, y))
    fail(ErrorKind::value, "shape-mismatch", message + std::string(note));
  check_equal(b, x, y, "shape-mismatch", message);
  return y.is_constant() ? y : x;
}

Shape broadcast_shapes(Builder& b, const std::vector<Shape>& shapes) {
  size_t rank = 0;
  for (const Shape& shape : shapes)
    rank = std::max(rank, shape.size());
  Shape result(rank, Extent(1));
  for (auto [operand, shape] : llvm::enumerate(shapes))
    for (size_t d = 0; d < shape.size(); ++d) {
      size_t dim = rank - shape.size() + d;
      if (shape[d] == Extent(1))
        continue;
      if (result[dim] == Extent(1))
        result[dim] = shape[d];
      else if (result[dim] != shape[d])
        result[dim] = unify(b, result[dim], shape[d],
                            "operand " + std::to_string(operand) + ", dim " + std::to_string(d),
                            broadcast_note(shapes));
    }
  return result;
}

Value with_shape(Builder& b, Value x, const Shape& shape) {
  if (ir::shape_of(x) == shape)
    return x;
  return ir::ReshapeOp::create(b, tensor_type(b, ir::dtype_of(x), shape), x);
}

Value broadcast_to(Builder& b, Value x, const Shape& shape) {
  Shape from = ir::shape_of(x);
  if (from == shape)
    return x;
  if (from.size() > shape.size())
    fail_argument(ErrorKind::value, "shape-mismatch", "shape",
                  "at least " + std::to_string(from.size()) + " dims", to_string(shape));
  size_t added = shape.size() - from.size();
  Shape same = from;
  llvm::SmallVector<int64_t> dims;
  for (size_t d = 0; d < from.size(); ++d) {
    dims.push_back(static_cast<int64_t>(added + d));
    if (from[d] == Extent(1) || from[d] == shape[added + d])
      continue;
    if (never_equal(from[d], shape[added + d]))
      fail_argument(ErrorKind::value, "shape-mismatch", "shape",
                    "extent " + from[d].to_string() + " in dim " + std::to_string(added + d),
                    to_string(shape) + broadcast_note({from, shape}));
    check_equal(b, from[d], shape[added + d], "shape-mismatch",
                "expected extent " + from[d].to_string() + ", but got " +
                    shape[added + d].to_string());
    same[d] = shape[added + d];
  }
  x = with_shape(b, x, same);
  if (same == shape)
    return x;
  return ir::BroadcastOp::create(b, tensor_type(b, ir::dtype_of(x), shape), x, dims);
}

Values broadcast(Builder& b, Values values) {
  std::vector<Shape> shapes;
  for (Value value : values)
    shapes.push_back(ir::shape_of(value));
  Shape shape = broadcast_shapes(b, shapes);
  for (Value& value : values)
    value = broadcast_to(b, value, shape);
  return values;
}

} // namespace kolam::language
