// Makes reductions and patterns.
#include "kolam/language/zip_map_reduce.h"

#include "kolam/ir/reduction.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/identity.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"

namespace kolam::language {
namespace {

/// The order of DESIGN section 5.
Accumulate order_of(int64_t rank, const Axes& dims, bool commutative) {
  return commutative && llvm::is_contained(dims, rank - 1) ? kReduceLast : kReduceKept;
}

/// What the reduction gives for elements of the body's or the inputs' dtypes.
llvm::SmallVector<mlir::Type> result_types(Builder& b, const Shape& space, const Axes& dims,
                                           const Monoid* monoid, mlir::ValueRange elements) {
  Shape kept;
  for (size_t dim = 0; dim < space.size(); ++dim)
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      kept.push_back(space[dim]);
  if (monoid && monoid->unwrap)
    elements = monoid->unwrap->front().getTerminator()->getOperands();
  llvm::SmallVector<mlir::Type> types;
  for (Value element : elements)
    types.push_back(tensor_type(b, ir::dtype_of(element), kept));
  return types;
}

void take(mlir::Region& to, std::unique_ptr<mlir::Region>& from) {
  if (from)
    to.takeBody(*from);
}

template <class Op> void take_monoid(Op op, Monoid& monoid) {
  take(op.getZero(), monoid.zero);
  take(op.getWrap(), monoid.wrap);
  take(op.getMerge(), monoid.merge);
  take(op.getUnwrap(), monoid.unwrap);
  take(op.getWrapAll(), monoid.wrap_all);
}

/// True where the element y with the later place wins over x: it comes before in the order, or is
/// the first NaN.
Value wins(Builder& b, Fn before, Value x, Value x_place, Value y, Value y_place) {
  Value tie = elementwise(b, Fn::equal, {x, y});
  Value first = elementwise(b, Fn::less, {y_place, x_place});
  Value better = elementwise(b, before, {y, x});
  if (is_float(ir::dtype_of(x))) {
    Value x_nan = elementwise(b, Fn::isnan, {x}), y_nan = elementwise(b, Fn::isnan, {y});
    Value both = elementwise(b, Fn::logical_and, {x_nan, y_nan});
    tie = elementwise(b, Fn::logical_or, {tie, both});
    Value only_y =
        elementwise(b, Fn::logical_and, {y_nan, elementwise(b, Fn::logical_not, {x_nan})});
    better = elementwise(b, Fn::logical_or, {better, only_y});
  }
  return elementwise(b, Fn::logical_or, {better, elementwise(b, Fn::logical_and, {tie, first})});
}

} // namespace

Monoid named_monoid(Fn fn) {
  Monoid monoid;
  monoid.name = elementwise_row(fn).name;
  return monoid;
}

Monoid argument_monoid(Builder& b, Fn before, const std::vector<DType>& dtypes, DType index) {
  Monoid monoid;
  monoid.name = before == Fn::less ? "argmin" : "argmax";
  llvm::SmallVector<mlir::Type> elements, state;
  for (DType dtype : dtypes) {
    elements.push_back(tensor_type(b, dtype, {}));
    state.append({elements.back(), tensor_type(b, index, {})});
  }
  elements.push_back(tensor_type(b, index, {}));
  llvm::SmallVector<mlir::Type> both(state);
  both.append(state);
  monoid.zero = make_region(b, {}, [&](const Values&) {
    Values zero;
    for (DType dtype : dtypes) {
      zero.push_back(identity(b, before == Fn::less ? Fn::minimum : Fn::maximum, dtype));
      zero.push_back(identity(b, Fn::minimum, index));
    }
    return zero;
  });
  monoid.wrap = make_region(b, elements, [&](const Values& element) {
    Values wrapped;
    for (size_t i = 0; i + 1 < element.size(); ++i)
      wrapped.insert(wrapped.end(), {element[i], element.back()});
    return wrapped;
  });
  monoid.merge = make_region(b, both, [&](const Values& states) {
    Values merged;
    size_t count = states.size() / 2;
    for (size_t i = 0; i < count; i += 2) {
      const Value *x = &states[i], *y = &states[i + count];
      Value y_wins = wins(b, before, x[0], x[1], y[0], y[1]);
      for (int part : {0, 1})
        merged.push_back(elementwise(b, Fn::where, {y_wins, y[part], x[part]}));
    }
    return merged;
  });
  monoid.unwrap = make_region(b, state, [&](const Values& parts) {
    Values places;
    for (size_t i = 1; i < parts.size(); i += 2)
      places.push_back(parts[i]);
    return places;
  });
  return monoid;
}

Values reduce(Builder& b, const Values& inputs, Monoid monoid, const Axes& dims) {
  Shape space = ir::shape_of(inputs.front());
  Accumulate order = order_of(static_cast<int64_t>(space.size()), dims, monoid.commutative);
  auto op = ir::ReduceOp::create(b, result_types(b, space, dims, &monoid, inputs), inputs,
                                 b.getStringAttr(monoid.name), b.getBoolAttr(monoid.commutative),
                                 b.getDenseI64ArrayAttr(dims),
                                 ir::accumulate_attr(b.getContext(), order));
  take_monoid(op, monoid);
  return Values(op.getResults().begin(), op.getResults().end());
}

Values segment_reduce(Builder& b, Value offsets, const Values& inputs, Monoid monoid) {
  Shape space = ir::shape_of(inputs.front());
  Accumulate order = order_of(static_cast<int64_t>(space.size()), {0}, monoid.commutative);
  // In front of what is reduced stand the segments.
  space.insert(space.begin(), ir::shape_of(offsets)[0] - Extent(1));
  auto op =
      ir::SegmentReduceOp::create(b, result_types(b, space, {1}, &monoid, inputs), offsets, inputs,
                                  b.getStringAttr(monoid.name), b.getBoolAttr(monoid.commutative),
                                  ir::accumulate_attr(b.getContext(), order));
  take_monoid(op, monoid);
  return Values(op.getResults().begin(), op.getResults().end());
}

Values zip_map_reduce(Builder& b, Pattern pattern) {
  Monoid* monoid = pattern.monoid ? &*pattern.monoid : nullptr;
  bool commutative = !monoid || monoid->commutative;
  Accumulate order =
      order_of(static_cast<int64_t>(pattern.space.size()), pattern.dims, commutative);
  auto types = result_types(b, pattern.space, pattern.dims, monoid,
                            pattern.body->front().getTerminator()->getOperands());
  auto op = ir::ZipMapReduceOp::create(
      b, types, pattern.inputs, pattern.captures,
      monoid ? b.getStringAttr(monoid->name) : mlir::StringAttr(), b.getBoolAttr(commutative),
      ir::ExtentsAttr::of(b.getContext(), pattern.space), b.getDenseI64ArrayAttr(pattern.dims),
      ir::accumulate_attr(b.getContext(), order));
  take(op.getBody(), pattern.body);
  if (monoid)
    take_monoid(op, *monoid);
  return Values(op.getResults().begin(), op.getResults().end());
}

Value keep_dims(Builder& b, Value x, const Axes& dims) {
  if (dims.empty())
    return x;
  Shape shape = ir::shape_of(x);
  for (int64_t dim : dims)
    shape.insert(shape.begin() + dim, Extent(1));
  return ir::ExpandDimsOp::create(b, tensor_type(b, ir::dtype_of(x), shape), x, dims,
                                  /*keeps_dims=*/true);
}

Extent reduced_count(const Shape& shape, const Axes& dims) {
  Extent count = 1;
  for (int64_t dim : dims)
    count = count * shape[dim];
  return count;
}

DType index_dtype(const Shape& shape, const Axes& dims) {
  return index_dtype({reduced_count(shape, dims)});
}

Value reduced_place(Builder& b, const Shape& space, const Axes& dims, DType dtype) {
  auto type = tensor_type(b, dtype, {});
  Value place;
  for (int64_t dim : dims) {
    Value coordinate = ir::IterIndexOp::create(b, type, dim);
    if (place) {
      Value extent = ir::ExtentOp::create(b, tensor_type(b, DType::i64, {}),
                                          b.getStringAttr(space[dim].to_string()));
      place = elementwise(b, Fn::multiply, {place, cast(b, extent, dtype)});
      coordinate = elementwise(b, Fn::add, {place, coordinate});
    }
    place = coordinate;
  }
  return place ? place : weak_constant(b, int64_t{0}, dtype);
}

void require_cells(Builder& b, const Shape& shape, const Axes& dims) {
  Extent count = reduced_count(shape, dims);
  // A chunk is never empty.
  if (count == Extent::symbol(ir::kChunkSymbol))
    return;
  std::string message = "expected at least one element to reduce, but got extents " +
                        to_string(shape) + ", which have no such element";
  if (count.is_constant()) {
    if (count == Extent(0))
      fail(ErrorKind::value, "empty-reduction", message);
    return;
  }
  auto type = tensor_type(b, DType::i64, {});
  Value cells = ir::ExtentOp::create(b, type, b.getStringAttr(count.to_string()));
  Value some = elementwise(b, Fn::greater, {cells, weak_constant(b, int64_t{0}, DType::i64)});
  ir::CheckOp::create(b, some, b.getStringAttr("empty-reduction"), b.getStringAttr(message));
}

} // namespace kolam::language
