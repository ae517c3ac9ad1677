// Reduces by monoids in parts that have derivatives each.
#include "kolam/transform/derive/monoids.h"

#include "kolam/language/reduction.h"
#include "kolam/language/region.h"
#include "kolam/language/transpose.h"
#include "kolam/language/zip_map_reduce.h"
#include "kolam/transform/derive/bodies.h"
#include "kolam/transform/derive/placing.h"
#include "kolam/transform/derive/running.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::transform::derive {
namespace {

using language::Axes;
using language::copy_of;

Value without_casts(Value value) {
  while (auto cast = value.getDefiningOp<ir::CastOp>())
    value = cast.getOperand();
  return value;
}

bool is_sum_of(Value sum, Value x, Value y) {
  auto op = without_casts(sum).getDefiningOp<ir::ElementwiseOp>();
  if (!op || op.getFunction() != "add")
    return false;
  const Value first = without_casts(op.getOperand(0)), second = without_casts(op.getOperand(1));
  return (first == x && second == y) || (first == y && second == x);
}

/// Whether each float state of merge(a, b) is linear in those of a and b, with the derivative 1 to
/// both of its own.
bool adds_up(Builder& b, mlir::Region& merge, const NewSymbol& new_symbol) {
  Values at_zero;
  llvm::SmallVector<bool> active;
  for (mlir::Type type : merge.getArgumentTypes()) {
    at_zero.push_back(zeros(b, type));
    active.push_back(is_differentiable(type));
  }
  Linearised made = transform::linearise(b, merge, at_zero, active, new_symbol);
  const LinearProgram& linear = made.linear;
  mlir::Block& block = linear.region->front();
  const size_t states = merge.getNumArguments() / 2;
  auto tangent_of = [&](size_t argument) -> Value {
    auto found = llvm::find(linear.arguments, argument);
    if (found == linear.arguments.end())
      return {};
    return block.getArgument(
        static_cast<unsigned>(linear.residuals + (found - linear.arguments.begin())));
  };
  for (size_t state = 0; state < states; ++state) {
    if (!active[state])
      continue;
    Value sum = result_of(linear, block.getTerminator()->getOperands(), state);
    if (!sum || !is_sum_of(sum, tangent_of(state), tangent_of(states + state)))
      return false;
  }
  return true;
}

/// The states as rows along the first dim, one for each element, in the order of the reduction.
Value as_rows(Builder& b, Value x, llvm::ArrayRef<int64_t> dims) {
  const Shape shape = ir::shape_of(x);
  Axes order(dims.begin(), dims.end());
  Shape rows{language::reduced_count(shape, Axes(dims.begin(), dims.end()))};
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim)
    if (!llvm::is_contained(dims, dim)) {
      order.push_back(dim);
      rows.push_back(shape[dim]);
    }
  return reshaped(b, language::permute_dims(b, x, order), rows);
}

} // namespace

Values reduced_by_monoid(mlir::Operation* op, Builder& b, const Values& inputs,
                         llvm::ArrayRef<int64_t> dims, const MonoidRegions& regions) {
  const Shape space = ir::shape_of(inputs[0]);
  Shape kept;
  for (size_t dim = 0; dim < space.size(); ++dim)
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      kept.push_back(space[dim]);
  Values states = over_space(op, b, regions.wrap, inputs, {}, space);
  const llvm::SmallVector<mlir::Type> types(mlir::ValueRange(states).getTypes());
  llvm::SmallVector<mlir::Type> scalars, sums;
  for (mlir::Type type : types) {
    scalars.push_back(language::tensor_type(b, ir::dtype_of(type), {}));
    sums.push_back(language::tensor_type(b, ir::dtype_of(type), kept));
  }
  auto same = [&] {
    return language::make_region(b, scalars, [](const Values& own) { return own; });
  };
  auto composite = ir::CompositeOp::create(b, sums, "monoid", states, 0U);
  composite.getBody().takeBody(*language::make_region(b, types, [&](const Values& own) {
    auto reduce = ir::ReduceOp::create(b, sums, own, op->getAttrOfType<mlir::StringAttr>("monoid"),
                                       op->getAttrOfType<mlir::BoolAttr>("commutative"),
                                       b.getDenseI64ArrayAttr(dims),
                                       op->getAttrOfType<ir::AccumulateAttr>("accumulate"));
    reduce.getZero().takeBody(*copy_of(regions.zero));
    reduce.getWrap().takeBody(*same());
    reduce.getMerge().takeBody(*copy_of(regions.merge));
    reduce.getUnwrap().takeBody(*same());
    return Values(reduce.result_begin(), reduce.result_end());
  }));
  return over_space(op, b, regions.unwrap, Values(composite.result_begin(), composite.result_end()),
                    {}, kept);
}

void monoid_rule(ir::CompositeOp op, Linearisation& at) {
  auto reduce = llvm::cast<ir::ReduceOp>(op.getBody().front().front());
  mlir::Region& merge = reduce.getMerge();
  const Axes dims(reduce.getDims());
  const size_t states = op->getNumResults();
  Builder &b = at.b, &l = at.linear;
  if (adds_up(b, merge, at.new_symbol)) {
    for (size_t state = 0; state < states; ++state)
      if (Value tangent = at.tangent(op.getOperands()[state]))
        at.set_tangent(op->getResult(static_cast<unsigned>(state)),
                       language::combine(l, tangent, Fn::add, dims));
    return;
  }
  Values rows;
  for (Value operand : op.getOperands())
    rows.push_back(as_rows(b, at.primal(operand), dims));
  const Shape space = ir::shape_of(rows[0]);
  const Shape row(space.begin() + 1, space.end());
  auto merged = [&](Values left, const Values& right, const Shape& shape) {
    llvm::append_range(left, right);
    return over_space(op, b, merge, left, {}, shape);
  };
  const Values nothing = over_space(op, b, reduce.getZero(), {}, {}, row);
  Values before = running(b, rows, false, [&](const Values& left, const Values& right) {
    return merged(left, right, row);
  });
  Values behind = running(b, rows, true, [&](const Values& right, const Values& left) {
    return merged(left, right, row);
  });
  // e, then what comes before and behind.
  Values given = rows;
  llvm::append_range(given, moved_on(b, before, false, nothing));
  llvm::append_range(given, moved_on(b, behind, true, nothing));
  auto all = language::make_region(b, mlir::ValueRange(given).getTypes(), [&](const Values& own) {
    auto part = [&](size_t number) {
      auto from = own.begin() + static_cast<int64_t>(number * states);
      return Values(from, from + static_cast<int64_t>(states));
    };
    return merged(merged(part(1), part(0), space), part(2), space);
  });
  llvm::SmallVector<bool> active(given.size(), false);
  Values tangents;
  for (size_t state = 0; state < states; ++state)
    if (Value tangent = at.tangent(op.getOperands()[state])) {
      active[state] = true;
      tangents.push_back(as_rows(l, tangent, dims));
    }
  Linearised made = transform::linearise(b, *all, given, active, at.new_symbol);
  Values found = apply_linear(l, made.linear, made.residuals, tangents, at.new_symbol);
  for (size_t state = 0; state < states; ++state)
    if (Value tangent = result_of(made.linear, found, state))
      at.set_tangent(op->getResult(static_cast<unsigned>(state)),
                     language::combine(l, tangent, Fn::add, Axes{0}));
}

} // namespace kolam::transform::derive
