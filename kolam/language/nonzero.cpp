// Numbers true elements by a running sum and scatters their places to these numbers.
#include "kolam/language/nonzero.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/cumulative.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/reshape.h"
#include "kolam/language/scatter.h"
#include "kolam/language/slice.h"

namespace kolam::language {
namespace {

/// The extent of a result: as asked for, or as many as `kept` has ones.
Extent extent_of(Builder& b, const Count& count, Value kept) {
  if (!count.size) {
    Value total = combine(b, cast(b, kept, DType::i64), Fn::add, {0});
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
  Extent n = ir::shape_of(mask)[0];
  DType dtype = index_dtype({n});
  Value kept = cast(b, mask, dtype);
  Extent extent = extent_of(b, count, kept);
  Value number = cumulative(b, kept, Fn::add, 0, dtype, false);
  Value before = elementwise(b, Fn::subtract, {number, integer_constant(b, 1, dtype)});
  Value slot = elementwise(b, Fn::where, {mask, before, integer_constant(b, -1, dtype)});
  // One more than there are, as there may be none to write to.
  Value rest = broadcast_to(b, cast(b, extent_value(b, n), dtype), {extent + Extent(1)});
  ScatterSpec spec;
  spec.dims = {0};
  spec.unique_indices = true;
  LocationNote note(b, std::string(kLeavesOut));
  Value places = scatter(b, {rest}, {expand_dims(b, iota(b, {n}, 0, dtype), {1})},
                         expand_dims(b, slot, {1}), spec)[0];
  return slice_dim(b, places, 0, 0, extent);
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
