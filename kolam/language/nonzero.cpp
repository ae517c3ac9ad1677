// Compresses the places of all elements to those of the true ones.
#include "kolam/language/nonzero.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/reshape.h"

namespace kolam::language {
namespace {

/// The extent of a result: as asked for, or the number of true elements.
Extent extent_of(Builder& b, const Count& count, Value total) {
  if (!count.size) {
    ir::BindExtentOp::create(b, total, b.getStringAttr(count.symbol));
    return Extent::symbol(count.symbol);
  }
  require_size(b, *count.size);
  return *count.size;
}

} // namespace

void require_size(Builder& b, const Extent& size) {
  if (size.constant().value_or(0) < 0)
    fail_argument(ErrorKind::value, "extent-negative", "size", "an extent >= 0", size.to_string());
  require_shape(b, {size});
}

Value true_places(Builder& b, Value mask, const Count& count) {
  const DType dtype = index_dtype({ir::shape_of(mask)[0]});
  Value total = combine(b, cast(b, mask, DType::i64), Fn::add, {0});
  const Extent extent = extent_of(b, count, total);
  Value places = ir::CompressOp::create(b, tensor_type(b, dtype, {extent}), mask,
                                        iota(b, ir::shape_of(mask), 0, dtype));
  if (!count.size)
    return places;
  // Behind those that there are stands the number of elements.
  Value is_there = elementwise(b, Fn::less, {iota(b, {extent}, 0, DType::i64), total});
  Value none = cast(b, extent_value(b, ir::shape_of(mask)[0]), dtype);
  return elementwise(b, Fn::where, {is_there, places, none});
}

Values nonzero(Builder& b, Value x, const Count& count, const std::vector<int64_t>& fill_value) {
  Shape shape = ir::shape_of(x);
  if (shape.empty())
    fail_argument(ErrorKind::value, "rank-mismatch", "x", "at least 1 dim", describe(x));
  if (fill_value.size() != 1 && fill_value.size() != shape.size())
    fail_argument(ErrorKind::value, "rank-mismatch", "fill_value",
                  "one number or " + std::to_string(shape.size()),
                  std::to_string(fill_value.size()));
  Value places = true_places(b, cast(b, flatten(b, x), DType::boolean), count);
  DType dtype = ir::dtype_of(places);
  auto number = [&](const Extent& extent) { return cast(b, extent_value(b, extent), dtype); };
  Value is_rest =
      count.size ? elementwise(b, Fn::equal, {places, number(element_count(shape))}) : Value();
  Values coordinates(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    Value coordinate =
        dim == 0 ? places : elementwise(b, Fn::remainder, {places, number(shape[dim])});
    if (dim > 0)
      places = elementwise(b, Fn::floor_divide, {places, number(shape[dim])});
    if (is_rest) {
      int64_t filled = fill_value[fill_value.size() == 1 ? 0 : dim];
      coordinate =
          elementwise(b, Fn::where, {is_rest, weak_constant(b, filled, dtype), coordinate});
    }
    coordinates[dim] = coordinate;
  }
  return coordinates;
}

} // namespace kolam::language
