// Equations of reductions.
#include "kolam/rewrite/rule.h"

#include "kolam/analysis/cost.h"
#include "kolam/ir/going.h"
#include "kolam/ir/reduction.h"
#include "kolam/language/concat.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/index.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"
#include "kolam/support/machine.h"

namespace kolam::rewrite {
namespace {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::Value;

/// Results of so many elements can be shared instead.
constexpr int64_t kManyCells = kThreads.parts;

/// The elements of x that are combined, by `length` rows of kept elements.
struct Rows {
  Value x;
  int64_t length;
  Shape kept;
  DType dtype;
};

/// The rows [start, start + lines * count) of x as [lines, count, kept...], combined to [lines,
/// kept...].
Value reduced_rows(ir::ReduceOp op, const Rows& rows, int64_t start, int64_t lines, int64_t count,
                   OpBuilder& b) {
  mlir::MLIRContext* context = op.getContext();
  mlir::Location loc = op.getLoc();
  Shape taken{lines * count}, parted{lines, count}, result{lines}, starts{start};
  for (Shape* shape : {&taken, &parted, &result})
    shape->insert(shape->end(), rows.kept.begin(), rows.kept.end());
  starts.resize(taken.size(), 0);
  llvm::SmallVector<int64_t> steps(taken.size(), 1);
  Value part = ir::SliceOp::create(b, loc, ir::tensor_type(context, rows.dtype, taken), rows.x,
                                   ir::ExtentsAttr::of(context, starts), steps);
  part = ir::ReshapeOp::create(b, loc, ir::tensor_type(context, rows.dtype, parted), part);
  return ir::ReduceOp::create(b, loc, mlir::TypeRange{ir::tensor_type(context, rows.dtype, result)},
                              mlir::ValueRange{part}, op.getMonoidAttr(), op.getCommutativeAttr(),
                              b.getDenseI64ArrayAttr({1}), op.getAccumulateAttr())
      .getResult(0);
}

/// The elements of a large reduction to few, cut at every `part` rows; none where it stays whole.
std::optional<int64_t> choose_part(ir::ReduceOp op, const ir::Reduction& reduction) {
  Shape shape = ir::shape_of(op.getInputs()[0]);
  auto rank = static_cast<int64_t>(shape.size());
  std::optional<int64_t> all = element_count(shape).constant(),
                         kept = element_count(ir::shape_of(op.getResult(0))).constant();
  bool is_whole = op.getInputs().size() != 1 || !reduction.function || !all || !kept ||
                  *all < kThreads.least_parted || *kept >= kManyCells ||
                  reduction.accumulate.chunk == 1;
  if (is_whole || reduction.run_length() != reduction.dims.size())
    return std::nullopt;
  // Reduced dims come first, but for kept ones of one element.
  bool is_leading = true;
  for (int64_t dim : reduction.kept_dims(rank))
    is_leading &= dim > reduction.dims.back() || shape[dim] == Extent(1);
  int64_t length = *all / *kept, part = reduction.accumulate.chunk;
  while (length / part >= 2 * kThreads.parts)
    part *= 2;
  return is_leading && length / part >= kThreads.parts ? std::optional(part) : std::nullopt;
}

/// Chunks merge pairwise, so those of parts of 2^k chunks merge before the parts do.
Value reduction_of_parts(Operation* op, OpBuilder& b) {
  auto reduce = llvm::dyn_cast<ir::ReduceOp>(op);
  if (!reduce || reduce.getNumResults() != 1)
    return {};
  auto loop = llvm::dyn_cast<ir::WhileOp>(op->getParentOp());
  if (loop && ir::going(loop)) // asked of each element where that is
    return {};
  ir::Reduction reduction = ir::reduction_of(reduce);
  std::optional<int64_t> part = choose_part(reduce, reduction);
  if (!part)
    return {};
  mlir::MLIRContext* context = op->getContext();
  mlir::Location loc = op->getLoc();
  Value x = reduce.getInputs()[0];
  Shape shape = ir::shape_of(x), kept = ir::shape_of(reduce.getResult(0));
  bool is_last = reduction.dims.back() + 1 == static_cast<int64_t>(shape.size());
  Rows rows{x, 1, is_last ? Shape() : kept, reduction.states[0]};
  for (int64_t dim : reduction.dims)
    rows.length *= *shape[dim].constant();
  shape = rows.kept;
  shape.insert(shape.begin(), rows.length);
  // Narrow floats are combined as f32 and rounded once.
  rows.x = ir::CastOp::create(b, loc, ir::tensor_type(context, rows.dtype, ir::shape_of(rows.x)),
                              rows.x);
  rows.x = ir::ReshapeOp::create(b, loc, ir::tensor_type(context, rows.dtype, shape), rows.x);
  int64_t parts = rows.length / *part, left = rows.length % *part;
  Value states = reduced_rows(reduce, rows, 0, parts, *part, b);
  if (left > 0) {
    Value last = reduced_rows(reduce, rows, parts * *part, 1, left, b);
    shape[0] = parts + 1;
    states = ir::ConcatOp::create(b, loc, ir::tensor_type(context, rows.dtype, shape),
                                  mlir::ValueRange{states, last}, b.getI64IntegerAttr(0));
  }
  Value merged =
      ir::ReduceOp::create(b, loc, mlir::TypeRange{ir::tensor_type(context, rows.dtype, rows.kept)},
                           mlir::ValueRange{states}, reduce.getMonoidAttr(),
                           reduce.getCommutativeAttr(), b.getDenseI64ArrayAttr({0}),
                           ir::accumulate_attr(context, {Order::chunk, 1, 1}))
          .getResult(0);
  merged = ir::ReshapeOp::create(b, loc, ir::tensor_type(context, rows.dtype, kept), merged);
  return ir::CastOp::create(b, loc, reduce.getResult(0).getType(), merged);
}

/// Size of code: components whose sums go side by side.
constexpr int64_t kMostComponents = 4;
/// Assumed: so many operations for an element are worth computing once for all components.
constexpr double kLeastShared = 4;
/// Bound: ops that are looked at.
constexpr size_t kMostOps = 32;

/// The ops of elements that compute a value, as far as they have elements of its shape.
llvm::SetVector<Operation*> elementwise_cone(Value value) {
  llvm::SetVector<Operation*> cone;
  auto add = [&](Value operand) {
    while (operand.getDefiningOp() && ir::facts_of(operand.getDefiningOp()).keeps_order)
      operand = operand.getDefiningOp()->getOperand(0);
    if (Operation* op = operand.getDefiningOp())
      cone.insert(op);
  };
  add(value);
  for (size_t next = 0; next < cone.size() && cone.size() < kMostOps; ++next)
    if (llvm::isa<ir::ElementwiseOp, ir::CastOp>(cone[next]))
      for (Value operand : cone[next]->getOperands())
        add(operand);
  return cone;
}

/// Whether a broadcast repeats a value along that dim alone.
bool repeats_only_along(ir::BroadcastOp broadcast, int64_t dim) {
  Shape from = ir::shape_of(broadcast.getOperand()), to = ir::shape_of(broadcast.getResult());
  Shape shown(to.size(), Extent(1));
  for (auto [own, place] : llvm::enumerate(broadcast.getDims()))
    shown[place] = from[own];
  for (size_t d = 0; d < to.size(); ++d)
    if ((static_cast<int64_t>(d) == dim) != (shown[d] != to[d]))
      return false;
  return true;
}

/// Whether computing a value takes work that is the same for all elements along a dim.
bool shares_work_along(Value value, int64_t dim) {
  const Shape shape = ir::shape_of(value);
  double work = 0;
  for (Operation* op : elementwise_cone(value))
    if (auto broadcast = llvm::dyn_cast<ir::BroadcastOp>(op);
        broadcast && ir::shape_of(broadcast.getResult()) == shape &&
        repeats_only_along(broadcast, dim))
      for (Operation* inside : elementwise_cone(broadcast.getOperand()))
        if (llvm::isa<ir::ElementwiseOp>(inside))
          work += analysis::flops_per_cell(inside);
  return work >= kLeastShared;
}

/// The first kept dim of few elements for which the rows of a sum share work; none where each is
/// summed by itself.
std::optional<int64_t> components_of(ir::ReduceOp reduce) {
  if (reduce.getInputs().size() != 1 || !reduce.getInputs()[0].hasOneUse())
    return std::nullopt;
  ir::Reduction reduction = ir::reduction_of(reduce);
  const Shape shape = ir::shape_of(reduce.getInputs()[0]);
  const auto rank = static_cast<int64_t>(shape.size());
  if (!reduction.function || reduction.dims.empty() || reduction.dims.back() + 1 != rank ||
      shape.back().constant().value_or(kWideRun) < kWideRun)
    return std::nullopt;
  for (int64_t dim = 0; dim < reduction.dims.front(); ++dim) {
    const int64_t count = shape[dim].constant().value_or(0);
    if (count > 1 && count <= kMostComponents && shares_work_along(reduce.getInputs()[0], dim))
      return dim;
  }
  return std::nullopt;
}

/// Each component's sum is one of several that one loop computes, so that what they share is
/// computed once.
Value reduction_by_components(Operation* op, OpBuilder& b) {
  auto reduce = llvm::dyn_cast<ir::ReduceOp>(op);
  std::optional<int64_t> dim = reduce ? components_of(reduce) : std::nullopt;
  if (!dim)
    return {};
  mlir::MLIRContext* context = op->getContext();
  mlir::Location loc = op->getLoc();
  Value x = reduce.getInputs()[0];
  const Shape shape = ir::shape_of(x);
  Shape taken = shape, part = shape, sum = ir::shape_of(reduce.getResult(0)), shown = sum;
  taken[*dim] = shown[*dim] = 1;
  part.erase(part.begin() + *dim);
  sum.erase(sum.begin() + *dim);
  auto tensor = [&](Value like, const Shape& own) {
    return ir::tensor_type(context, ir::dtype_of(like), own);
  };
  llvm::SmallVector<Value> parts;
  llvm::SmallVector<int64_t> steps(shape.size(), 1), dims;
  for (int64_t component = 0; component < *shape[*dim].constant(); ++component) {
    Shape starts(shape.size(), 0);
    starts[*dim] = component;
    Value slice = ir::SliceOp::create(b, loc, tensor(x, taken), x,
                                      ir::ExtentsAttr::of(context, starts), steps);
    parts.push_back(
        ir::SqueezeOp::create(b, loc, tensor(x, part), slice, b.getDenseI64ArrayAttr({*dim})));
  }
  for (int64_t reduced : reduce.getDims())
    dims.push_back(reduced - 1);
  llvm::SmallVector<mlir::Type> types(parts.size(), tensor(reduce.getResult(0), sum));
  auto sums = ir::ReduceOp::create(b, loc, types, parts, reduce.getMonoidAttr(),
                                   reduce.getCommutativeAttr(), b.getDenseI64ArrayAttr(dims),
                                   reduce.getAccumulateAttr());
  llvm::SmallVector<Value> rows;
  for (Value row : sums.getResults())
    rows.push_back(ir::ExpandDimsOp::create(b, loc, tensor(row, shown), row,
                                            b.getDenseI64ArrayAttr({*dim}), false));
  return ir::ConcatOp::create(b, loc, reduce.getResult(0).getType(), rows,
                              b.getI64IntegerAttr(*dim));
}

/// Whether a body's value is the place of its point among all of `shape`, row-major.
bool is_place_among(Value place, llvm::ArrayRef<Extent> shape) {
  auto operand = [](Value value, Fn fn, unsigned number) {
    auto op = value.getDefiningOp<ir::ElementwiseOp>();
    return op && parse_fn(op.getFunction()) == fn ? op.getOperand(number) : Value();
  };
  const size_t last = shape.size() - 1;
  Value own = last == 0 ? place : operand(place, Fn::add, 1);
  auto index = own ? own.getDefiningOp<ir::IterIndexOp>() : ir::IterIndexOp();
  if (!index || static_cast<size_t>(index.getDim()) != last)
    return false;
  if (last == 0)
    return true;
  const Value rows = operand(place, Fn::add, 0);
  const Value before = rows ? operand(rows, Fn::multiply, 0) : Value();
  Value count = before ? operand(rows, Fn::multiply, 1) : Value();
  if (auto cast = count ? count.getDefiningOp<ir::CastOp>() : ir::CastOp())
    count = cast.getOperand();
  auto extent = count ? count.getDefiningOp<ir::ExtentOp>() : ir::ExtentOp();
  return extent && extent.getExpression() == shape[last].to_string() &&
         is_place_among(before, shape.drop_back());
}

/// The op where it is `argmax` or `argmin` of all elements of one array, null otherwise.
ir::ZipMapReduceOp search_of_all(Operation* op) {
  auto search = llvm::dyn_cast<ir::ZipMapReduceOp>(op);
  const llvm::StringRef monoid = search ? search.getMonoid().value_or("") : "";
  if ((monoid != "argmax" && monoid != "argmin") || search.getInputs().size() != 1 ||
      !search.getCaptures().empty() || search.getNumResults() != 1)
    return {};
  const Shape shape = ir::shape_of(search.getInputs()[0]);
  mlir::Block& body = search.getBody().front();
  auto yielded = body.getTerminator()->getOperands();
  return !shape.empty() && search.getDims().size() == shape.size() &&
                 yielded[0] == body.getArgument(0) && is_place_among(yielded[1], shape)
             ? search
             : ir::ZipMapReduceOp();
}

/// A search through all elements of an array is one through the elements in a row: they are met in
/// the order of their places.
Value search_in_a_row(Operation* op, OpBuilder& b) {
  ir::ZipMapReduceOp search = search_of_all(op);
  if (!search)
    return {};
  Value x = search.getInputs()[0];
  const Shape shape = ir::shape_of(x);
  if (shape.size() < 2)
    return {};
  const Extent count = element_count(shape);
  mlir::MLIRContext* context = op->getContext();
  const Value row = ir::ReshapeOp::create(
      b, op->getLoc(), ir::tensor_type(context, ir::dtype_of(x), Shape{count}), x);
  auto flat = llvm::cast<ir::ZipMapReduceOp>(b.clone(*op));
  flat->setOperand(0, row);
  flat.setSpaceAttr(ir::ExtentsAttr::of(context, Shape{count}));
  flat.setDims({0});
  Operation* end = flat.getBody().front().getTerminator();
  OpBuilder inside(end);
  const mlir::Type place = end->getOperand(1).getType();
  end->setOperand(1, ir::IterIndexOp::create(inside, op->getLoc(), place, 0));
  return flat.getResult(0);
}

/// A search through a long row looks for the first block that holds the extreme, by the extremes of
/// all blocks, and then through that block: extremes take half of what their places take.
Value search_in_blocks(Operation* op, OpBuilder& builder) {
  constexpr int64_t kBlock = 1024, kLeastBlocks = 16; // assumed: of fewer other nests take longer
  ir::ZipMapReduceOp search = search_of_all(op);
  if (!search)
    return {};
  Value x = search.getInputs()[0];
  const Shape shape = ir::shape_of(x);
  const int64_t length = shape.size() == 1 ? shape[0].constant().value_or(0) : 0;
  if (length < kLeastBlocks * kBlock)
    return {};
  language::Builder b(op->getLoc(), builder);
  const bool is_most = search.getMonoid() == "argmax";
  const Fn extreme = is_most ? Fn::maximum : Fn::minimum, before = is_most ? Fn::greater : Fn::less;
  const int64_t whole = length / kBlock, left = length % kBlock;
  Value rows =
      language::reshape(b, language::slice_dim(b, x, 0, 0, whole * kBlock), {whole, kBlock});
  language::Values extremes{language::combine(b, rows, extreme, {1})};
  if (left > 0) {
    Value rest =
        language::reshape(b, language::slice_dim(b, x, 0, whole * kBlock, left), {1, left});
    extremes.push_back(language::combine(b, rest, extreme, {1}));
  }
  auto number = [&](int64_t value) { return language::weak_constant(b, value, DType::i64); };
  Value first = language::argument(b, language::concat(b, extremes, 0), before, {0});
  first = language::elementwise(b, Fn::multiply,
                                {language::cast(b, first, DType::i64), number(kBlock)});
  // The last block of a row that has no multiple of them starts in the one before, which holds
  // none.
  first = language::elementwise(b, Fn::minimum, {first, number(length - kBlock)});
  Value block = language::dynamic_slice(b, x, {first}, {kBlock});
  Value place = language::cast(b, language::argument(b, block, before, {0}), DType::i64);
  place = language::elementwise(b, Fn::add, {first, place});
  return language::cast(b, place, ir::dtype_of(op->getResult(0)));
}

constexpr Rule kRules[] = {
    {"search_in_blocks",
     "argmax(x) = k B + argmax(x[k B : k B + B]), k = argmax(max of each block of B), of long x; "
     "likewise argmin",
     R"(%0 = kolam.iota 0 : tensor<16500xf32>
        %1 = kolam.elementwise "sin" %0 : (tensor<16500xf32>) -> tensor<16500xf32>
        %2 = kolam.zip_map_reduce(%1) space <["16500"]> monoid "argmax" dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<16500xf32>) -> tensor<i32> {
        ^bb0(%a: tensor<f32>):
          %i = kolam.iter_index 0 : tensor<i32>
          kolam.yield %a, %i : tensor<f32>, tensor<i32>
        } zero {
          %z = kolam.constant dense<0xFF800000> : tensor<f32>
          %m = kolam.constant dense<2147483647> : tensor<i32>
          kolam.yield %z, %m : tensor<f32>, tensor<i32>
        } wrap {
        ^bb0(%a: tensor<f32>, %b: tensor<i32>):
          kolam.yield %a, %b : tensor<f32>, tensor<i32>
        } merge {
        ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
          %e = kolam.elementwise "greater" %c, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %f = kolam.elementwise "equal" %c, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %g = kolam.elementwise "less" %d, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
          %h = kolam.elementwise "logical_and" %f, %g : (tensor<i1>, tensor<i1>) -> tensor<i1>
          %i = kolam.elementwise "logical_or" %e, %h : (tensor<i1>, tensor<i1>) -> tensor<i1>
          %v = kolam.elementwise "where" %i, %c, %a : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
          %p = kolam.elementwise "where" %i, %d, %b : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
          kolam.yield %v, %p : tensor<f32>, tensor<i32>
        } unwrap {
        ^bb0(%a: tensor<f32>, %b: tensor<i32>):
          kolam.yield %b : tensor<i32>
        }
        %3 = kolam.cast %2 : tensor<i32> -> tensor<f32>
        %r = kolam.broadcast %3 [] : tensor<f32> -> tensor<4x6xf32>)",
     search_in_blocks},
    {"search_in_a_row", "argmax(x) of all dims = argmax(reshape(x, [n])), likewise argmin",
     R"(%0 = kolam.iota 1 : tensor<4x6xf32>
        %1 = kolam.elementwise "sin" %0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
        %2 = kolam.zip_map_reduce(%1) space <["4", "6"]> monoid "argmax" dims [0, 1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<4x6xf32>) -> tensor<i32> {
        ^bb0(%a: tensor<f32>):
          %i = kolam.iter_index 0 : tensor<i32>
          %j = kolam.iter_index 1 : tensor<i32>
          %n = kolam.extent "6" : tensor<i64>
          %w = kolam.cast %n : tensor<i64> -> tensor<i32>
          %k = kolam.elementwise "multiply" %i, %w : (tensor<i32>, tensor<i32>) -> tensor<i32>
          %p = kolam.elementwise "add" %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i32>
          kolam.yield %a, %p : tensor<f32>, tensor<i32>
        } zero {
          %z = kolam.constant dense<0xFF800000> : tensor<f32>
          %m = kolam.constant dense<2147483647> : tensor<i32>
          kolam.yield %z, %m : tensor<f32>, tensor<i32>
        } wrap {
        ^bb0(%a: tensor<f32>, %b: tensor<i32>):
          kolam.yield %a, %b : tensor<f32>, tensor<i32>
        } merge {
        ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
          %e = kolam.elementwise "greater" %c, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %f = kolam.elementwise "equal" %c, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %g = kolam.elementwise "less" %d, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
          %h = kolam.elementwise "logical_and" %f, %g : (tensor<i1>, tensor<i1>) -> tensor<i1>
          %i = kolam.elementwise "logical_or" %e, %h : (tensor<i1>, tensor<i1>) -> tensor<i1>
          %v = kolam.elementwise "where" %i, %c, %a : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
          %p = kolam.elementwise "where" %i, %d, %b : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
          kolam.yield %v, %p : tensor<f32>, tensor<i32>
        } unwrap {
        ^bb0(%a: tensor<f32>, %b: tensor<i32>):
          kolam.yield %b : tensor<i32>
        }
        %3 = kolam.cast %2 : tensor<i32> -> tensor<f32>
        %r = kolam.broadcast %3 [] : tensor<f32> -> tensor<4x6xf32>)",
     search_in_a_row},
    {"reduction_by_components",
     "reduce(x) = concat(reduce(x[0], x[1], ...)), where computing x[c] takes work that is the "
     "same for each of few c",
     R"(%0 = kolam.iota 0 : tensor<4x6x70xf32>
        %1 = kolam.iota 1 : tensor<6x70xf32>
        %2 = kolam.elementwise "exp" %1 : (tensor<6x70xf32>) -> tensor<6x70xf32>
        %3 = kolam.elementwise "sqrt" %2 : (tensor<6x70xf32>) -> tensor<6x70xf32>
        %4 = kolam.elementwise "add" %2, %3 : (tensor<6x70xf32>, tensor<6x70xf32>) -> tensor<6x70xf32>
        %5 = kolam.elementwise "divide" %1, %4 : (tensor<6x70xf32>, tensor<6x70xf32>) -> tensor<6x70xf32>
        %6 = kolam.broadcast %5 [1, 2] : tensor<6x70xf32> -> tensor<4x6x70xf32>
        %7 = kolam.elementwise "multiply" %0, %6 : (tensor<4x6x70xf32>, tensor<4x6x70xf32>) -> tensor<4x6x70xf32>
        %r = kolam.reduce "add" %7 dims [2] commutative true <"lanes<64>, chunk<4096>"> : (tensor<4x6x70xf32>) -> tensor<4x6xf32>)",
     reduction_by_components},
    {"reduction_of_parts",
     "reduce(x) of many elements to few = reduce(reduce(parts of 2^k chunks), chunk<1>)",
     R"(%0 = kolam.iota 0 : tensor<22222x24xf32>
        %1 = kolam.elementwise "sin" %0 : (tensor<22222x24xf32>) -> tensor<22222x24xf32>
        %2 = kolam.reduce "add" %1 dims [0, 1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<22222x24xf32>) -> tensor<f32>
        %r = kolam.broadcast %2 [] : tensor<f32> -> tensor<4x6xf32>)",
     reduction_of_parts},
};

} // namespace

std::span<const Rule> reduction_rules() { return kRules; }

} // namespace kolam::rewrite
