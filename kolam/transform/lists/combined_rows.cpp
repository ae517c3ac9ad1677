// Reductions by functions of numbers: one op that combines the elements of all lists, in place of a
// loop whose steps merge one element of each list.
#include "kolam/transform/lists/combined_rows.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/reduction.h"
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

/// The monoid of a reduction's function; its order is that of ir::order_of.
language::Monoid monoid_of(Builder& b, ir::ListReduceOp op) {
  if (std::optional<Fn> fn = ir::function_of(op))
    return language::named_monoid(*fn);
  language::Monoid monoid;
  monoid.name = "list_reduce";
  monoid.commutative = false;
  llvm::SmallVector<mlir::Type> state, both;
  for (mlir::Type type : op.getResultTypes())
    state.push_back(language::tensor_type(b, ir::dtype_of(type), {}));
  both.append(state);
  both.append(state);
  monoid.zero = language::make_region(b, {}, [&](const Values&) {
    Values zero;
    for (mlir::Type type : state)
      zero.push_back(language::weak_constant(b, int64_t{0}, ir::dtype_of(type)));
    return zero;
  });
  monoid.wrap = language::make_region(b, state, [](const Values& element) { return element; });
  monoid.merge = language::make_region(b, both, [&](const Values& states) {
    const auto middle = states.begin() + static_cast<int64_t>(state.size());
    return merge_cells(b, op, Values(states.begin(), middle), Values(middle, states.end()));
  });
  monoid.unwrap = language::make_region(b, state, [](const Values& values) { return values; });
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

/// Elements as numbers, where each is one in an array: the order of a reduction asks for its last
/// dim.
static Values as_numbers(Builder& b, Values elements, size_t dims) {
  for (Value& x : elements) {
    Shape shape = ir::shape_of(x);
    Shape cells(shape.begin() + static_cast<int64_t>(dims), shape.end());
    shape.resize(dims);
    if (!cells.empty() && element_count(cells).constant() == 1)
      x = language::reshape(b, x, shape);
  }
  return elements;
}

/// Results in the shapes that elements have.
static Values as_elements(Builder& b, ir::ListReduceOp op, Values results) {
  for (auto [x, type] : llvm::zip(results, op.getResultTypes())) {
    Shape shape = ir::shape_of(x), cells = ir::shape_of(type);
    if (element_count(cells).constant() != 1 || cells.empty())
      continue;
    shape.insert(shape.end(), cells.begin(), cells.end());
    x = language::reshape(b, x, shape);
  }
  return results;
}

/// The elements of each list, all lists one after the other.
static Values elements_of(Frames& frames, const std::vector<FlatList>& lists) {
  Values elements;
  for (const FlatList& list : lists)
    elements.push_back(frames.leaves_of(list));
  return elements;
}

Values combine_all(Frames& frames, ir::ListReduceOp op, const std::vector<FlatList>& lists) {
  Builder& b = frames.b;
  Values elements = as_numbers(b, elements_of(frames, lists), 1);
  return as_elements(b, op, language::reduce(b, elements, monoid_of(b, op), {0}));
}

Values combine_even_rows(Frames& frames, ir::ListReduceOp op, const std::vector<FlatList>& lists,
                         const Extent& length) {
  Builder& b = frames.b;
  Integers& integers = frames.integers;
  const Level& level = *lists[0].levels[0];
  Value first = language::expand_dims(b, frames.starts_of(level), {1});
  Value places = integers.add(
      first, language::broadcast_to(b, integers.iota(length), {level.parents, length}));
  Values elements;
  for (const FlatList& list : lists)
    elements.push_back(
        take_rows(b, list.leaves, list.places ? take_rows(b, list.places, places) : places));
  return as_elements(b, op, language::reduce(b, as_numbers(b, elements, 2), monoid_of(b, op), {1}));
}

Values combine_segments(Frames& frames, ir::ListReduceOp op, const std::vector<FlatList>& lists) {
  Builder& b = frames.b;
  Values elements = as_numbers(b, elements_of(frames, lists), 1);
  return as_elements(
      b, op, language::segment_reduce(b, lists[0].levels[0]->offsets, elements, monoid_of(b, op)));
}

} // namespace kolam::transform::lists
