// Reductions by functions of numbers: one kolam.reduce over all the elements that are combined from
// left to right, in place of a loop whose turns merge one element of each list.
#include "kolam/transform/lists/combined_rows.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/monoid.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/language/reshape.h"
#include "kolam/language/zip_map_reduce.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::transform::lists {
namespace {

/// Whether an op computes each cell of shape `cells` from the same cells of its operands.
bool goes_by_cells(mlir::Operation& op, const Shape& cells) {
  auto has_shape = [&](Value value) { return ir::shape_of(value) == cells; };
  if (!llvm::all_of(op.getOperands(), has_shape) || !llvm::all_of(op.getResults(), has_shape))
    return false;
  return cells.empty() ? analysis::computes_cells(&op) : llvm::isa<ir::ElementwiseOp>(op);
}

/// The reduction's function on cells.
Values merge_cells(Builder& b, ir::ListReduceOp op, const Values& left, const Values& right) {
  mlir::Block& body = op.getBody().front();
  mlir::IRMapping cells;
  Values arguments(left);
  arguments.insert(arguments.end(), right.begin(), right.end());
  for (auto [argument, cell] : llvm::zip(body.getArguments(), arguments))
    cells.map(argument, cell);
  for (mlir::Operation& inner : body.without_terminator()) {
    auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(inner);
    if (!elementwise) {
      b.clone(inner, cells);
      continue;
    }
    Values operands;
    for (Value operand : elementwise.getOperands())
      operands.push_back(cells.lookup(operand));
    cells.map(elementwise.getResult(),
              language::elementwise(b, *parse_fn(elementwise.getFunction()), operands));
  }
  Values results;
  for (Value result : body.getTerminator()->getOperands())
    results.push_back(cells.lookup(result));
  return results;
}

/// The monoid of a reduction's function. Where elements are `masked`, each comes with whether it is
/// one, first of all, and what is none is left out; the first element is one.
language::Monoid monoid_of(Builder& b, ir::ListReduceOp op, bool masked) {
  language::Monoid monoid;
  monoid.name = "list_reduce";
  monoid.commutative = false;
  llvm::SmallVector<mlir::Type> state, both;
  if (masked)
    state.push_back(language::tensor_type(b, DType::boolean, {}));
  for (mlir::Type type : op.getResultTypes())
    state.push_back(language::tensor_type(b, ir::dtype_of(type), {}));
  both.append(state);
  both.append(state);
  const size_t flags = masked ? 1 : 0;
  monoid.zero = language::make_region(b, {}, [&](const Values&) {
    Values zero;
    for (mlir::Type type : state)
      zero.push_back(language::weak_constant(b, int64_t{0}, ir::dtype_of(type)));
    return zero;
  });
  monoid.wrap = language::make_region(b, state, [](const Values& element) { return element; });
  monoid.merge = language::make_region(b, both, [&](const Values& states) {
    const auto middle = states.begin() + static_cast<int64_t>(state.size());
    const auto first = static_cast<int64_t>(flags);
    Values left(states.begin() + first, middle), right(middle + first, states.end());
    Values merged = merge_cells(b, op, left, right);
    if (!masked)
      return merged;
    for (auto [value, old] : llvm::zip(merged, left))
      value = language::elementwise(b, Fn::where, {*middle, value, old});
    merged.insert(merged.begin(), states[0]);
    return merged;
  });
  monoid.unwrap = language::make_region(b, state, [&](const Values& values) {
    return Values(values.begin() + static_cast<int64_t>(flags), values.end());
  });
  return monoid;
}

/// The rows of x at places of two dims: [places..., row...].
Value take_rows(Builder& b, Value x, Value places) {
  Shape window = ir::shape_of(x), result = ir::shape_of(places);
  window[0] = Extent(1);
  result.insert(result.end(), window.begin(), window.end());
  Value windows = ir::GatherOp::create(b, language::tensor_type(b, ir::dtype_of(x), result), x,
                                       language::expand_dims(b, places, {2}),
                                       b.getDenseI64ArrayAttr({0}), b.getDenseI64ArrayAttr({1}),
                                       b.getI64IntegerAttr(0), b.getStringAttr("promise"));
  return language::squeeze(b, windows, language::Axes{2});
}

} // namespace

bool combines_cells(ir::ListReduceOp op) {
  if (!op.getCaptures().empty())
    return false;
  auto shape = [](mlir::Type type) { return ir::shape_of(type); };
  llvm::SmallVector<mlir::Type> elements(op.getResultTypes());
  if (llvm::any_of(elements, [](mlir::Type type) { return llvm::isa<ir::ListType>(type); }))
    return false;
  const Shape cells = shape(elements.front());
  return llvm::all_of(elements, [&](mlir::Type type) { return shape(type) == cells; }) &&
         llvm::all_of(op.getBody().front().without_terminator(),
                      [&](mlir::Operation& inner) { return goes_by_cells(inner, cells); });
}

Values combine_all(Frames& frames, ir::ListReduceOp op, const std::vector<FlatList>& lists) {
  Values elements;
  for (const FlatList& list : lists)
    elements.push_back(frames.leaves_of(list));
  return language::reduce(frames.b, elements, monoid_of(frames.b, op, false), {0});
}

Values combine_rows(Frames& frames, ir::ListReduceOp op, const std::vector<FlatList>& lists,
                    const Rows& rows) {
  Builder& b = frames.b;
  Integers& integers = frames.integers;
  const Shape grid{ir::shape_of(rows.first)[0], rows.most};
  auto column = [&](Value vector) { return language::expand_dims(b, vector, {1}); };
  Value j = language::broadcast_to(b, integers.iota(rows.most), grid), is_inside;
  if (rows.lengths) {
    is_inside = integers.apply(Fn::less, j, column(rows.lengths));
    j = language::elementwise(b, Fn::where, {is_inside, j, integers.constant(0)});
  }
  Value places = integers.add(column(rows.first), j);
  Values elements;
  for (const FlatList& list : lists)
    elements.push_back(
        take_rows(b, list.leaves, list.places ? take_rows(b, list.places, places) : places));
  if (is_inside) {
    const Shape all = ir::shape_of(elements[0]);
    language::Axes behind;
    for (size_t dim = grid.size(); dim < all.size(); ++dim)
      behind.push_back(static_cast<int64_t>(dim));
    if (!behind.empty())
      is_inside = language::broadcast_to(b, language::expand_dims(b, is_inside, behind), all);
    elements.insert(elements.begin(), is_inside);
  }
  return language::reduce(b, elements, monoid_of(b, op, is_inside != nullptr), {1});
}

} // namespace kolam::transform::lists
