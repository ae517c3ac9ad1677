// Reductions, running combinations and bodies over elements.
#include "kolam/ir/monoid.h"
#include "kolam/ir/visit.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/control.h"
#include "kolam/language/creation.h"
#include "kolam/language/cumulative.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/pad.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/region.h"
#include "kolam/language/reshape.h"
#include "kolam/language/reverse.h"
#include "kolam/language/slice.h"
#include "kolam/language/transpose.h"
#include "kolam/language/zip_map_reduce.h"
#include "kolam/transform/derive/bodies.h"
#include "kolam/transform/derive/formula.h"
#include "kolam/transform/derive/monoids.h"
#include "kolam/transform/derive/placing.h"
#include "kolam/transform/derive/rules.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::transform::derive {
namespace {

using language::Axes;

Value apply(Builder& b, Fn fn, const Values& values) {
  return language::elementwise(b, fn, values);
}

/// The products of the elements before each along a dim, and behind each: what is left of the
/// product without it. Right with zeros.
Value product_of_others(Builder& b, Value x, const Axes& dims) {
  const Shape shape = ir::shape_of(x);
  Axes order, inverse(shape.size());
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim)
    if (!llvm::is_contained(dims, dim))
      order.push_back(dim);
  llvm::append_range(order, dims);
  for (auto [to, from] : llvm::enumerate(order))
    inverse[from] = static_cast<int64_t>(to);
  Value moved = language::permute_dims(b, x, order);
  const Shape apart = ir::shape_of(moved);
  Shape joined(apart.begin(), apart.end() - static_cast<int64_t>(dims.size()));
  const auto dim = static_cast<int64_t>(joined.size());
  joined.push_back(language::reduced_count(shape, dims));
  Value row = reshaped(b, moved, joined);
  auto others = [&](bool is_reverse) -> Value {
    return ir::CumulativeOp::create(b, row.getType(), row, "multiply", dim, is_reverse, true);
  };
  Value product = apply(b, Fn::multiply, {others(false), others(true)});
  return language::permute_dims(b, reshaped(b, product, apart), inverse);
}

/// Of a reduction by a named function: the tangent of result `number`.
Value tangent_of_named(ir::ReduceOp op, size_t number, Linearisation& at) {
  Value input = op.getInputs()[number], x = at.primal(input), tangent = at.tangent(input);
  const DType dtype = ir::dtype_of(x), wide = language::wide_dtype(dtype);
  const Axes dims(op.getDims());
  Fn fn = *parse_fn(op.getMonoid());
  Builder& b = at.linear;
  auto summed = [&](Value value) {
    return language::cast(b, language::combine(b, value, Fn::add, dims), dtype);
  };
  if (fn == Fn::add)
    return language::combine(b, tangent, fn, dims);
  x = language::cast(at.b, x, wide);
  tangent = language::cast(b, tangent, wide);
  if (fn == Fn::multiply)
    return summed(apply(b, Fn::scale, {tangent, product_of_others(at.b, x, dims)}));
  if (fn != Fn::maximum && fn != Fn::minimum)
    refuse(op, "expected a reduction by add, multiply, maximum or minimum");
  Value result = language::cast(at.b, at.primal(op.getResult(number)), wide);
  Value held = apply(at.b, Fn::equal, {x, language::spread(at.b, result, ir::shape_of(x), dims)});
  Value holders = language::combine(at.b, language::cast(at.b, held, wide), Fn::add, dims);
  holders = apply(at.b, Fn::maximum, {holders, language::weak_constant(at.b, 1.0, wide)});
  Value zero = language::weak_constant(b, 0.0, wide);
  Value sum = language::combine(b, apply(b, Fn::where, {held, tangent, zero}), Fn::add, dims);
  return language::cast(b, apply(b, Fn::divide, {sum, holders}), dtype);
}

template <class Op> MonoidRegions regions_of(Op op) {
  return {op.getZero(), op.getWrap(), op.getMerge(), op.getUnwrap()};
}

} // namespace

void linearise_rule(ir::ReduceOp op, Linearisation& at) {
  if (op.getMerge().empty()) {
    for (size_t number = 0; number < op.getInputs().size(); ++number)
      if (at.is_active(op.getInputs()[number]))
        at.set_tangent(op.getResult(number), tangent_of_named(op, number, at));
    return;
  }
  // Parts of `wrap_all` have other bits than elements one by one.
  linearise_as(op, at, op.getWrapAll().empty(), [&](Builder& b, const Values& inputs) {
    return reduced_by_monoid(op, b, inputs, op.getDims(), regions_of(op));
  });
}

/// Sums alone are linear.
void transpose_rule(ir::ReduceOp op, Transposition& at) {
  if (op.getMonoid() != "add" || !op.getMerge().empty())
    refuse_nonlinear(op, "expected a sum");
  for (size_t number = op.getInputs().size(); number-- > 0;) {
    Value input = op.getInputs()[number];
    if (Value v = at.cotangent(op.getResult(number)))
      at.add(input, language::spread(at.b, v, ir::shape_of(input), Axes(op.getDims())));
  }
}

/// t_i = scale(t_(i-1), a_i) + scale(x'_i, b_i), a and b the derivatives of s_i = fn(s_(i-1), x_i).
/// Exclusive results are the states before each element: theirs is t_(i-1).
void linearise_rule(ir::CumulativeOp op, Linearisation& at) {
  Fn fn = *parse_fn(op.getFunction());
  if (fn == Fn::add)
    return at.set_linear(op, {0});
  const auto dim = static_cast<int64_t>(op.getDim());
  const DType dtype = ir::dtype_of(op.getResult()), wide = language::wide_dtype(dtype);
  auto to_front = [&](Builder& b, Value value) {
    value = language::moveaxis(b, language::cast(b, value, wide), {dim}, {0});
    return op.getReverse() ? language::flip(b, value, Axes{0}) : value;
  };
  // Each row where the next one was; zeros come first.
  auto moved_on = [&](Builder& b, Value rows) {
    std::vector<PadWidth> widths(static_cast<size_t>(ir::rank_of(rows)), PadWidth{0, 0});
    widths[0] = {1, 0};
    Value padded =
        language::pad(b, rows, widths, "constant", language::weak_constant(b, 0.0, wide));
    return language::slice_dim(b, padded, 0, 0, ir::shape_of(rows)[0]);
  };
  Builder& b = at.b;
  Value x = to_front(b, at.primal(op.getOperand()));
  const Shape shape = ir::shape_of(x);
  Value results = to_front(b, at.primal(op.getResult()));
  Value before = op.getExclusive() ? results : moved_on(b, results);
  Value after = op.getExclusive() ? apply(b, fn, {before, x}) : results;
  auto derivative = [&](size_t number) {
    Term term = formula(b, elementwise_row(fn).derivative[number], {before, x}, after);
    return term.number ? language::full(b, shape, language::weak_constant(b, *term.number, wide))
                       : term.value;
  };
  // Nothing comes before the first element: it is its own state.
  Value is_first = apply(
      b, Fn::equal,
      {language::iota(b, shape, 0, DType::i64), language::integer_constant(b, 0, DType::i64)});
  Value a = derivative(0);
  Value c = apply(b, Fn::where, {is_first, language::weak_constant(b, 1.0, wide), derivative(1)});
  Builder& l = at.linear;
  Value scaled = apply(l, Fn::scale, {to_front(l, at.tangent(op.getOperand())), c});
  mlir::Type row = language::slice_type(l, scaled);
  language::Body body = language::make_body(l, {row, row, row}, [&](const Values& arguments) {
    Value kept = apply(l, Fn::scale, {arguments[0], arguments[2]});
    Value next = apply(l, Fn::add, {kept, arguments[1]});
    return Values{next, next};
  });
  Value rows = language::scan(l, {zeros(l, row)}, {scaled, a}, shape[0],
                              language::Direction::forward, std::move(body))[1];
  if (op.getExclusive())
    rows = moved_on(l, rows);
  if (op.getReverse())
    rows = language::flip(l, rows, Axes{0});
  at.set_tangent(op.getResult(), language::cast(l, language::moveaxis(l, rows, {0}, {dim}), dtype));
}

/// A sum from the other end.
void transpose_rule(ir::CumulativeOp op, Transposition& at) {
  if (op.getFunction() != "add")
    refuse_nonlinear(op, "expected a running sum");
  Value v = at.cotangent(op.getResult());
  at.add(op.getOperand(),
         ir::CumulativeOp::create(at.b, v.getType(), v, op.getFunction(), op.getDim(),
                                  !op.getReverse(), op.getExclusive()));
}

/// Its body over arrays, then the reduction: what is cheap is computed again where it is read.
void linearise_rule(ir::ZipMapReduceOp op, Linearisation& at) {
  const Shape space = op.getSpace().shape();
  const size_t inputs = op.getInputs().size();
  linearise_as(op, at, false, [&](Builder& b, const Values& operands) {
    mlir::Region body;
    mlir::IRMapping map;
    op.getBody().cloneInto(&body, map);
    Values arguments(operands.begin(), operands.begin() + inputs);
    Values captures(operands.begin() + inputs, operands.end());
    unsigned place = static_cast<unsigned>(inputs);
    for (auto index : llvm::make_early_inc_range(body.front().getOps<ir::IterIndexOp>())) {
      Value own = body.front().insertArgument(place++, index.getType(), index.getLoc());
      arguments.push_back(language::iota(b, space, static_cast<int64_t>(index.getDim()),
                                         ir::dtype_of(index.getResult())));
      index.replaceAllUsesWith(own);
      index.erase();
    }
    Values cells = over_space(op, b, body, arguments, captures, space);
    if (!op.getMonoid())
      return cells;
    if (op.getMerge().empty()) {
      Values results;
      for (Value cell : cells)
        results.push_back(
            language::combine(b, cell, *parse_fn(*op.getMonoid()), Axes(op.getDims())));
      return results;
    }
    return reduced_by_monoid(op, b, cells, op.getDims(), regions_of(op));
  });
}

} // namespace kolam::transform::derive
