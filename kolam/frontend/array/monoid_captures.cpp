// Moves what the functions of monoids capture to where ops can hold it.
#include "kolam/frontend/array/monoid_captures.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"

namespace kolam {
namespace {

using language::Builder;
using language::Values;

Values yielded(mlir::Region& region) {
  mlir::OperandRange operands = region.front().getTerminator()->getOperands();
  return Values(operands.begin(), operands.end());
}

llvm::SmallVector<mlir::Type> scalars_like(Builder& b, const Values& values) {
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value value : values)
    types.push_back(language::tensor_type(b, ir::dtype_of(value), {}));
  return types;
}

/// Arguments of the body for `captures`, behind those that it has.
Values add_captures(language::Pattern& pattern, const Values& captures) {
  mlir::Block& body = pattern.body->front();
  Values arguments;
  for (mlir::Value capture : captures)
    arguments.push_back(body.addArgument(capture.getType(), capture.getLoc()));
  pattern.captures.insert(pattern.captures.end(), captures.begin(), captures.end());
  return arguments;
}

/// body := wrap of what the body yields. The elements are then states.
void fold_wrap(Builder& b, language::Pattern& pattern, RecordedMonoid& recorded) {
  mlir::Block &body = pattern.body->front(), &wrap = recorded.monoid.wrap->front();
  mlir::Operation* yield = body.getTerminator();
  Values arguments = yielded(*pattern.body);
  for (mlir::Value argument : add_captures(pattern, recorded.wrap))
    arguments.push_back(argument);
  for (auto [parameter, argument] : llvm::zip_equal(wrap.getArguments(), arguments))
    parameter.replaceAllUsesWith(argument);
  Values states = yielded(*recorded.monoid.wrap);
  wrap.getTerminator()->erase();
  body.getOperations().splice(yield->getIterator(), wrap.getOperations());
  yield->setOperands(states);
  recorded.monoid.wrap =
      language::make_region(b, scalars_like(b, states), [](const Values& state) { return state; });
  recorded.wrap.clear();
}

/// The state, with what merge captures behind it: every element brings that along.
void carry_merge_captures(Builder& b, language::Pattern& pattern, RecordedMonoid& recorded) {
  language::Monoid& monoid = recorded.monoid;
  Values captures = recorded.merge, carried = add_captures(pattern, captures);
  mlir::Operation* yield = pattern.body->front().getTerminator();
  auto count = static_cast<unsigned>(yield->getNumOperands()); // of the state
  yield->insertOperands(count, carried);
  monoid.wrap = language::make_region(b, scalars_like(b, yielded(*pattern.body)),
                                      [](const Values& state) { return state; });

  mlir::Block& merge = monoid.merge->front();
  for (unsigned i = 0; i < captures.size(); ++i) {
    mlir::BlockArgument captured = merge.getArgument(2 * count + 2 * i);
    mlir::BlockArgument own =
        merge.insertArgument(count + i, captured.getType(), captured.getLoc());
    captured.replaceAllUsesWith(own);
    merge.getTerminator()->insertOperands(count + i, mlir::ValueRange{own});
  }
  mlir::Block &zero = monoid.zero->front(), &unwrap = monoid.unwrap->front();
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(zero.getTerminator());
  for (mlir::Value capture : captures) {
    DType dtype = ir::dtype_of(capture);
    // No element of the zero meets a merge.
    mlir::Value none = language::cast(b, language::weak_constant(b, int64_t{0}, DType::i32), dtype);
    zero.getTerminator()->insertOperands(zero.getTerminator()->getNumOperands(), {none});
  }
  for (auto [i, capture] : llvm::enumerate(captures))
    unwrap.insertArgument(count + static_cast<unsigned>(i), capture.getType(), capture.getLoc());
}

/// zero where there is nothing to reduce.
Values zero_of_nothing(Builder& b, const Extent& count, const Values& zero, Values states) {
  if (count.is_constant() && count != Extent(0))
    return states;
  mlir::Value cells = language::extent_value(b, count);
  mlir::Value none = language::elementwise(
      b, Fn::equal, {cells, language::weak_constant(b, int64_t{0}, DType::i64)});
  for (auto [state, own] : llvm::zip_equal(states, zero))
    state = language::elementwise(b, Fn::where, {none, own, state});
  return states;
}

} // namespace

language::Pattern pattern_of_cells(Builder& b, const Values& inputs, const language::Axes& dims) {
  language::Pattern pattern;
  pattern.inputs = inputs;
  pattern.space = ir::shape_of(inputs.front());
  pattern.dims = dims;
  pattern.body =
      language::make_region(b, scalars_like(b, inputs), [](const Values& cells) { return cells; });
  return pattern;
}

Values reduce_elements(Trace& trace, language::Pattern pattern, RecordedMonoid recorded) {
  Builder& b = trace.builder();
  if (!recorded.wrap.empty() || !recorded.merge.empty())
    fold_wrap(b, pattern, recorded);

  // What unwrap and zero capture acts on the states, outside of the reduction.
  std::unique_ptr<mlir::Region> unwrap;
  if (!recorded.unwrap.empty() || !recorded.zero.empty()) {
    Values state = yielded(*recorded.monoid.zero);
    unwrap = std::move(recorded.monoid.unwrap);
    recorded.monoid.unwrap = language::make_region(b, scalars_like(b, state),
                                                   [](const Values& states) { return states; });
    if (!recorded.zero.empty())
      recorded.monoid.zero = language::make_region(b, {}, [&](const Values&) {
        Values none;
        for (mlir::Value part : state)
          none.push_back(language::cast(b, language::weak_constant(b, int64_t{0}, DType::i32),
                                        ir::dtype_of(part)));
        return none;
      });
  }
  if (!recorded.merge.empty())
    carry_merge_captures(b, pattern, recorded);

  Extent count = language::reduced_count(pattern.space, pattern.dims);
  pattern.monoid = std::move(recorded.monoid);
  Values states = language::zip_map_reduce(b, std::move(pattern));
  if (!recorded.zero.empty())
    states = zero_of_nothing(b, count, recorded.zero_values, std::move(states));
  if (!unwrap)
    return states;
  language::Pattern map;
  map.inputs = states;
  map.space = ir::shape_of(states.front());
  map.body = std::move(unwrap);
  map.captures = recorded.unwrap;
  return language::zip_map_reduce(b, std::move(map));
}

} // namespace kolam

// Note [Captures of monoids]
// A reduction is taken apart at its ends: wrap becomes a part of the body, which may capture
// anything, and unwrap a pattern behind the reduction. Only merge is left, and the scalars that it
// captures travel as further components of the state: each element brings them, and merge hands on
// those of its first argument. The zero, which has none to bring, meets no merge; of a reduction of
// nothing only the state's own components are read.
