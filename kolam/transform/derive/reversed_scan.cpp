// The transpose of a linear scan: a scan in the other direction, which carries cotangents.
#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/region.h"
#include "kolam/language/reverse.h"
#include "kolam/transform/derive/bodies.h"
#include "kolam/transform/derive/one_op.h"
#include "kolam/transform/derive/rules.h"
#include "kolam/transform/kernels.h"

namespace kolam::transform::derive {

using Types = llvm::SmallVector<mlir::Type>;

void transpose_rule(ir::ScanOp op, Transposition& at) {
  Builder& b = at.b;
  const size_t states = op.getInits().size(), xs = op.getXs().size();
  mlir::Block& body = op.getBody().front();
  for (Value init : op.getInits())
    if (!is_differentiable(init.getType()))
      refuse_nonlinear(op, "expected states that depend on the arguments");

  // Captured linear values: the sum of what steps add, carried where it is no single op.
  std::vector<size_t> captured;
  for (auto [number, capture] : llvm::enumerate(op.getCaptures()))
    if (at.is_linear(capture))
      captured.push_back(number);
  auto argument_of = [&](size_t number) { return body.getArgument(static_cast<unsigned>(number)); };

  Values inits, reversed_xs;
  Types state_types, x_types;
  for (size_t number = 0; number < states; ++number) {
    inits.push_back(at.cotangent_or_zeros(op.getResult(static_cast<unsigned>(number))));
    state_types.push_back(inits.back().getType());
  }
  std::vector<std::optional<size_t>> y_places, x_places(xs);
  for (Value y : op.getResults().drop_front(states)) {
    y_places.emplace_back();
    if (at.has_cotangent(y)) {
      y_places.back() = reversed_xs.size();
      reversed_xs.push_back(at.cotangent(y));
    }
  }
  for (size_t number = 0; number < xs; ++number)
    if (!at.is_linear(op.getXs()[number])) {
      x_places[number] = reversed_xs.size();
      reversed_xs.push_back(at.coefficient(op.getXs()[number]));
    }
  for (Value x : reversed_xs)
    x_types.push_back(language::slice_type(b, x));

  std::vector<std::vector<OneOp>> stacked(captured.size());
  std::vector<size_t> carried; // those whose sum is carried, in the order of the states
  // Rows to stack, each value once; those that the reversed loop is given are there already.
  Values rows;
  llvm::DenseMap<Value, Value> given_rows;
  size_t stacked_rows = 0;
  Types types = state_types;
  llvm::append_range(types, x_types);
  auto region = language::make_region(b, types, [&](const Values& arguments) {
    mlir::Block* block = b.getInsertionBlock();
    Transposition inner(b, at.new_symbol);
    auto x_at = [&](size_t place) { return arguments[states + place]; };
    auto is_one_op = [&](Value value) { return as_one_op(value, *block, false).has_value(); };
    for (size_t number = 0; number < states; ++number)
      inner.set_linear(argument_of(number));
    for (size_t number = 0; number < xs; ++number)
      if (x_places[number])
        inner.set_coefficient(argument_of(states + number), x_at(*x_places[number]));
      else
        inner.set_linear(argument_of(states + number));
    for (auto [number, capture] : llvm::enumerate(op.getCaptures()))
      if (!at.is_linear(capture))
        inner.set_coefficient(argument_of(states + xs + number), at.coefficient(capture));
    for (auto [number, capture] : llvm::enumerate(captured)) {
      Value argument = argument_of(states + xs + capture);
      // A sum is one more state, behind those that there are.
      auto running = [&carried, number = number, block, states, argument]() -> Value {
        carried.push_back(number);
        auto type = llvm::cast<mlir::RankedTensorType>(argument.getType());
        return block->insertArgument(static_cast<unsigned>(states + carried.size() - 1),
                                     ir::tensor_type(argument.getContext(),
                                                     language::wide_dtype(ir::dtype_of(type)),
                                                     ir::shape_of(argument)),
                                     argument.getLoc());
      };
      inner.carry(argument, running, is_one_op);
    }
    prepare(body, inner);
    mlir::ValueRange yielded = body.getTerminator()->getOperands();
    for (size_t number = yielded.size(); number-- > 0;)
      if (number < states)
        inner.add(yielded[number], arguments[number]);
      else if (y_places[number - states])
        inner.add(yielded[number], x_at(*y_places[number - states]));
    transpose_block(body, inner);

    Values results;
    for (auto [place, x] : llvm::enumerate(reversed_xs))
      given_rows[x_at(place)] = x;
    for (size_t number = 0; number < states; ++number)
      results.push_back(inner.cotangent_or_zeros(argument_of(number)));
    for (size_t number : carried)
      results.push_back(inner.sum(argument_of(states + xs + captured[number])));
    for (auto [number, capture] : llvm::enumerate(captured))
      for (const auto& contribution : inner.contributions(argument_of(states + xs + capture))) {
        auto one = as_one_op(contribution.value, *block, false);
        KOLAM_CHECK(one.has_value());
        for (Value operand : one->changing)
          if (operand && !given_rows.contains(operand) && !llvm::is_contained(rows, operand))
            rows.push_back(operand);
        stacked[number].push_back(std::move(*one));
      }
    for (size_t number = 0; number < xs; ++number)
      if (!x_places[number])
        results.push_back(inner.cotangent_or_zeros(argument_of(states + number)));
    stacked_rows = results.size();
    llvm::append_range(results, rows);
    return results;
  });
  for (size_t number : carried)
    inits.push_back(at.start_of_sum(op.getCaptures()[captured[number]]));
  const Extent length = op.getLength().shape()[0];
  Values captures = language::isolate(*region);
  mlir::Block& reversed = region->front();
  Values made =
      language::scan(b, inits, reversed_xs, length, opposite_of(op), {std::move(region), captures});
  if (auto grid = kernels::grid_loop(op); grid && !made.empty()) {
    std::vector<std::string> names(made.size());
    for (auto [place, number] : llvm::enumerate(carried))
      names[states + place] = kernels::operand_name(op, states + xs + captured[number]);
    set_ref_names(made[0].getDefiningOp(), names);
    kernels::set_reversed_axis(made[0].getDefiningOp(), grid->kernel);
  }
  size_t next = states;
  Values carried_sums(captured.size());
  for (size_t number : carried)
    carried_sums[number] = made[next++];
  Values x_sums(xs);
  for (size_t number = 0; number < xs; ++number)
    if (!x_places[number])
      x_sums[number] = made[next++];
  // Rows lie by step; sums take the last step first.
  auto row = [&](Value of_step) {
    Value found = given_rows.lookup(of_step);
    if (!found)
      found = made[stacked_rows + (llvm::find(rows, of_step) - rows.begin())];
    return op.getReverse() ? found : language::flip(b, found, language::Axes{0});
  };
  std::vector<std::vector<StepSum>> sums(captured.size());
  for (size_t number = 0; number < captured.size(); ++number)
    for (const OneOp& one : stacked[number]) {
      Values operands;
      for (auto [changing, operand] : llvm::zip(one.changing, factors_of(one.core)))
        operands.push_back(changing ? row(changing) : outside(reversed, captures, operand));
      sums[number].push_back(over_steps(b, one, operands));
    }
  for (size_t number = captured.size(); number-- > 0;) {
    Value capture = op.getCaptures()[captured[number]];
    for (StepSum& sum : sums[number])
      if (at.collects_parts(capture))
        at.add_part(capture, std::move(sum));
      else
        at.add(capture, finished(b, sum, sum.value));
    if (carried_sums[number])
      at.add(capture, carried_sums[number]);
  }
  for (size_t number = xs; number-- > 0;)
    if (x_sums[number])
      at.add(op.getXs()[number], x_sums[number]);
  for (size_t number = states; number-- > 0;)
    at.add(op.getInits()[number], made[number]);
  const bool is_whole = llvm::none_of(
      captured, [&](size_t number) { return at.collects_parts(op.getCaptures()[number]); });
  if (is_whole)
    drop_unused(reversed); // what became one op over all steps
}

} // namespace kolam::transform::derive
