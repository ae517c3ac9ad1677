// Loops: tangents are carried beside their states, or by a loop of their own over residuals.
#include "kolam/analysis/data_dim/turns.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/transform/derive/bodies.h"
#include "kolam/transform/derive/hoist.h"
#include "kolam/transform/derive/in_any_order.h"
#include "kolam/transform/derive/notes.h"
#include "kolam/transform/derive/rules.h"
#include "kolam/transform/derive/segments.h"

namespace kolam::transform::derive {
namespace {

using Types = llvm::SmallVector<mlir::Type>;

/// The arguments of a scan's body: which are active, once its states agree.
struct Roles {
  Roles(ir::ScanOp op, const Linearisation& at)
      : states(op.getInits().size()), xs(op.getXs().size()) {
    for (Value operand : op->getOperands())
      active.push_back(at.is_active(operand));
    active = activity.of_states(op.getBody(), active, 0, states);
    results = activity.of_results(op.getBody(), active);
  }
  bool is_state(size_t argument) const { return argument < states; }
  bool is_x(size_t argument) const { return argument >= states && argument < states + xs; }

  Activity activity;
  size_t states, xs;
  Flags active, results;
};

/// Tangents beside states: one loop.
void scan_jointly(ir::ScanOp op, const Roles& roles, Linearisation& at) {
  Builder& b = at.b;
  Values inits = at.primals(op.getInits()), xs = at.primals(op.getXs());
  Types state_types, x_types;
  for (auto [number, argument] : llvm::enumerate(op.getBody().getArguments()))
    if (roles.is_state(number))
      state_types.push_back(argument.getType());
    else if (roles.is_x(number))
      x_types.push_back(argument.getType());
  auto add_tangents = [&](mlir::ValueRange operands, size_t first, Values& values, Types& types) {
    for (auto [number, operand] : llvm::enumerate(operands))
      if (roles.active[first + number]) {
        values.push_back(at.tangent_or_zeros(operand));
        types.push_back(types[number]);
      }
  };
  add_tangents(op.getInits(), 0, inits, state_types);
  add_tangents(op.getXs(), roles.states, xs, x_types);
  Types types = state_types;
  llvm::append_range(types, x_types);
  language::Body body = language::make_body(b, types, [&](const Values& arguments) {
    Linearisation inner(b, b, at.new_symbol);
    size_t state_tangent = roles.states, x = state_types.size(), x_tangent = x + roles.xs;
    for (auto [number, argument] : llvm::enumerate(op.getBody().getArguments())) {
      Value tangent;
      if (roles.is_state(number)) {
        inner.set(argument, arguments[number]);
        if (roles.active[number])
          tangent = arguments[state_tangent++];
      } else if (roles.is_x(number)) {
        inner.set(argument, arguments[x++]);
        if (roles.active[number])
          tangent = arguments[x_tangent++];
      } else {
        Value operand = op->getOperand(static_cast<unsigned>(number));
        inner.set(argument, at.primal(operand));
        tangent = at.tangent(operand);
      }
      inner.set_tangent(argument, tangent);
    }
    linearise_block(op.getBody().front(), inner);
    mlir::ValueRange yielded = op.getBody().front().getTerminator()->getOperands();
    Values results = inner.primals(yielded.take_front(roles.states));
    for (size_t number = 0; number < roles.states; ++number)
      if (roles.active[number])
        results.push_back(inner.tangent_or_zeros(yielded[number]));
    llvm::append_range(results, inner.primals(yielded.drop_front(roles.states)));
    for (size_t number = roles.states; number < yielded.size(); ++number)
      if (roles.results[number])
        results.push_back(inner.tangent_or_zeros(yielded[number]));
    return results;
  });
  Values made =
      language::scan(b, inits, xs, op.getLength().shape()[0], direction_of(op), std::move(body));
  // States, their tangents, what is stacked, its tangents.
  const size_t ys = op->getNumResults() - roles.states;
  size_t tangent = roles.states, y = state_types.size(), y_tangent = y + ys;
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    const bool is_state = roles.is_state(number);
    at.set(result, is_state ? made[number] : made[y++]);
    if (is_state ? roles.active[number] : roles.results[number])
      at.set_tangent(result, is_state ? made[tangent++] : made[y_tangent++]);
  }
}

/// The same of a loop whose condition asks primal states alone.
void while_jointly(ir::WhileOp op, Linearisation& at) {
  Builder& b = at.b;
  const size_t states = op.getInits().size();
  Flags active;
  for (Value operand : op->getOperands())
    active.push_back(at.is_active(operand));
  Activity activity;
  active = activity.of_states(op.getBody(), active, 0, states);
  Values inits = at.primals(op.getInits()), captures = at.primals(op.getCaptures());
  for (auto [number, init] : llvm::enumerate(op.getInits()))
    if (active[number])
      inits.push_back(at.tangent_or_zeros(init));
  Types types(mlir::ValueRange(inits).getTypes());
  language::Body condition = language::make_body(b, types, [&](const Values& arguments) {
    Values given(arguments.begin(), arguments.begin() + static_cast<int64_t>(states));
    llvm::append_range(given, captures);
    return language::inlined(b, op.getCondition(), given);
  });
  language::Body body = language::make_body(b, types, [&](const Values& arguments) {
    Linearisation inner(b, b, at.new_symbol);
    size_t tangent = states;
    for (auto [number, argument] : llvm::enumerate(op.getBody().getArguments()))
      if (number < states) {
        inner.set(argument, arguments[number]);
        if (active[number])
          inner.set_tangent(argument, arguments[tangent++]);
      } else {
        inner.set(argument, captures[number - states]);
        inner.set_tangent(argument, at.tangent(op->getOperand(static_cast<unsigned>(number))));
      }
    linearise_block(op.getBody().front(), inner);
    mlir::ValueRange yielded = op.getBody().front().getTerminator()->getOperands();
    Values results = inner.primals(yielded);
    for (auto [number, value] : llvm::enumerate(yielded))
      if (active[number])
        results.push_back(inner.tangent_or_zeros(value));
    return results;
  });
  Values made = language::while_loop(b, inits, std::move(condition), std::move(body));
  size_t tangent = states;
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    at.set(result, made[number]);
    if (active[number])
      at.set_tangent(result, made[tangent++]);
  }
}

/// A primal loop that stacks residuals, and a linear one that reads them. See Note [Windows].
void scan_apart(ir::ScanOp op, const Roles& roles, Linearisation& at) {
  const Extent length = op.getLength().shape()[0];
  Apart apart = linearise_apart(
      at.b, op.getBody(), {roles.states, length.constant().value_or(1), kernels::grid_loop(op)},
      roles.active, at.new_symbol);
  Values captures = at.primals(op.getCaptures());
  Values taken = take_invariants(at.b, apart, op->getNumResults(), captures);
  // States that the linear body reads are stacked too.
  mlir::Operation* yield = apart.primal->front().getTerminator();
  const size_t own = op->getNumResults();
  Values yielded(yield->operand_begin(), yield->operand_end());
  for (int64_t argument : apart.arguments)
    if (argument >= 0 && roles.is_state(static_cast<size_t>(argument)))
      yielded.push_back(apart.primal->getArgument(static_cast<unsigned>(argument)));
  yield->setOperands(yielded);
  const Values inits_of_op = at.primals(op.getInits()), xs_of_op = at.primals(op.getXs());
  auto grid = kernels::grid_loop(op);
  Values made =
      grid && grid->is_parallel && length.constant().value_or(0) > 0
          ? counted_loop(at.b, *apart.primal, inits_of_op, xs_of_op, captures, *length.constant())
          : language::scan(at.b, inits_of_op, xs_of_op, length, direction_of(op),
                           {std::move(apart.primal), captures});
  for (auto [result, value] : llvm::zip(op->getResults(), made))
    at.set(result, value);

  // Residuals: stacked ones are xs of the linear loop, what a step captures is captured.
  Values stacked, invariant;
  struct Source {
    bool is_stacked;
    size_t number;
  };
  std::vector<Source> sources;
  size_t made_own = own, made_states = own + apart.residuals.size();
  for (int64_t argument : apart.arguments) {
    const auto number = static_cast<size_t>(argument);
    const bool is_taken = argument < -1;
    const bool is_capture = argument >= 0 && number >= roles.states + roles.xs;
    sources.push_back(
        {!is_capture && !is_taken, is_capture || is_taken ? invariant.size() : stacked.size()});
    if (is_taken)
      invariant.push_back(taken[static_cast<size_t>(-2 - argument)]);
    else if (is_capture)
      invariant.push_back(captures[number - roles.states - roles.xs]);
    else if (argument < 0)
      stacked.push_back(made[made_own++]);
    else if (roles.is_state(number))
      stacked.push_back(made[made_states++]);
    else
      stacked.push_back(at.primal(op.getXs()[number - roles.states]));
  }
  Builder& b = at.linear;
  Values inits, xs = stacked;
  Types state_types, x_types;
  for (Value value : stacked)
    x_types.push_back(language::slice_type(b, value));
  for (size_t number = 0; number < roles.states; ++number)
    if (roles.active[number]) {
      inits.push_back(at.tangent_or_zeros(op.getInits()[number]));
      state_types.push_back(inits.back().getType());
    }
  for (size_t number = 0; number < roles.xs; ++number)
    if (roles.active[roles.states + number]) {
      xs.push_back(at.tangent(op.getXs()[number]));
      x_types.push_back(language::slice_type(b, xs.back()));
    }
  Types types = state_types;
  llvm::append_range(types, x_types);
  std::vector<Values> captured;
  for (Value value : invariant)
    captured.push_back(captured_parts(at.b, value, at.new_symbol));
  language::Body body = language::make_body(b, types, [&](const Values& arguments) {
    Values residuals, tangents;
    for (const Source& source : sources)
      residuals.push_back(source.is_stacked ? arguments[inits.size() + source.number]
                                            : from_parts(b, invariant[source.number].getType(),
                                                         captured[source.number]));
    size_t state = 0, x = inits.size() + stacked.size();
    for (auto [number, is_active] : llvm::enumerate(roles.active))
      if (is_active)
        tangents.push_back(roles.is_state(number) ? arguments[state++]
                           : roles.is_x(number)
                               ? arguments[x++]
                               : at.tangent(op->getOperand(static_cast<unsigned>(number))));
    Values given = apply_linear(b, apart.linear, residuals, tangents, at.new_symbol);
    mlir::ValueRange ends = op.getBody().front().getTerminator()->getOperands();
    Values results;
    for (auto [number, end] : llvm::enumerate(ends))
      if (roles.is_state(number) ? roles.active[number] : roles.results[number]) {
        Value tangent = result_of(apart.linear, given, number);
        results.push_back(tangent ? tangent : zeros_like(b, end));
      }
    return results;
  });
  Values tangents = language::scan(b, inits, xs, length, direction_of(op), std::move(body));
  if (!tangents.empty())
    kernels::copy_grid_loop(op, tangents[0].getDefiningOp());
  size_t next = 0;
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    if (roles.is_state(number) ? roles.active[number] : roles.results[number])
      at.set_tangent(result, tangents[next++]);
}

void refuse_changing(mlir::Operation* op) {
  if (op->hasAttr("late") || op->hasAttr("appended"))
    refuse(op, "expected states of one shape at each step");
  refuse_lists(op);
}

/// `count` as an extent: a number, or a symbol that is bound to it here.
Extent extent_of(Builder& b, Value count, const NewSymbol& new_symbol) {
  if (auto number = analysis::number_of(count))
    return *number;
  std::string symbol = new_symbol();
  ir::BindExtentOp::create(b, language::cast(b, count, DType::i64), b.getStringAttr(symbol));
  return Extent::symbol(symbol);
}

/// What a scan in place of a loop gives: it runs in the segments that the loop is to have, over the
/// grid that the loop is of.
Values as_loop(mlir::Operation* loop, Values made) {
  if (made.empty())
    return made;
  mlir::Operation* scan = made[0].getDefiningOp();
  if (mlir::Attribute lengths = loop->getAttr(kSegments))
    scan->setAttr(kSegments, lengths);
  kernels::copy_grid_loop(loop, scan);
  return made;
}

} // namespace

void linearise_whole(ir::ScanOp op, Linearisation& at) {
  Roles roles(op, at);
  if (at.is_joint())
    scan_jointly(op, roles, at);
  else if (!segments_of(op).empty())
    linearise_in_segments(op, roles.active, roles.results, at);
  else
    scan_apart(op, roles, at);
}

/// As a scan over the numbers of its steps.
void linearise_whole(ir::ForOp op, Linearisation& at) {
  refuse_changing(op);
  if (!at.is_joint())
    require_shallow(op);
  const size_t states = op.getInits().size();
  std::optional<int64_t> from = analysis::number_of(at.primal(op.getLower())),
                         to = analysis::number_of(at.primal(op.getUpper()));
  linearise_as(op, at, true, [&](Builder& b, const Values& operands) {
    Value lower = operands[0], upper = operands[1];
    Values inits(operands.begin() + 2, operands.begin() + 2 + static_cast<int64_t>(states));
    Values captures(operands.begin() + 2 + static_cast<int64_t>(states), operands.end());
    const DType dtype = ir::dtype_of(lower);
    Extent count = from && to ? Extent(std::max<int64_t>(*to - *from, 0)) : Extent(0);
    if (!from || !to)
      count = extent_of(b, language::elementwise(b, Fn::subtract, {upper, lower}), at.new_symbol);
    Value numbers = language::iota(b, {count}, 0, dtype);
    numbers = language::elementwise(b, Fn::add, {numbers, lower});
    Types types(mlir::ValueRange(inits).getTypes());
    types.push_back(lower.getType());
    language::Body body = language::make_body(b, types, [&](const Values& arguments) {
      Values own{arguments.back()};
      own.insert(own.end(), arguments.begin(), arguments.end() - 1);
      llvm::append_range(own, captures);
      return language::inlined(b, op.getBody(), own);
    });
    return as_loop(op, language::scan(b, inits, {numbers}, count, language::Direction::forward,
                                      std::move(body)));
  });
}

/// Forwards tangents stand beside states; backwards its steps are counted, then run again as a scan
/// of so many: a program that the compiler makes one loop of, which appends what the scan stacks
/// (rewrite/counted_scans.h).
void linearise_whole(ir::WhileOp op, Linearisation& at) {
  refuse_changing(op);
  if (at.is_joint())
    return while_jointly(op, at);
  require_shallow(op);
  if (op->hasAttr(kSegments))
    DerivativeNotes::add("while" + at_line(op) +
                         " is counted, then run again in segments: these end with its last step, "
                         "as sums over steps begin there");
  const size_t states = op.getInits().size();
  linearise_as(op, at, true, [&](Builder& b, const Values& operands) {
    Values inits(operands.begin(), operands.begin() + static_cast<int64_t>(states));
    Values captures(operands.begin() + static_cast<int64_t>(states), operands.end());
    Values constant_inits, constant_captures;
    for (Value init : inits)
      constant_inits.push_back(stop_gradient(b, init));
    for (Value capture : captures)
      constant_captures.push_back(stop_gradient(b, capture));
    constant_inits.push_back(language::integer_constant(b, 0, DType::i64));
    Types types(mlir::ValueRange(constant_inits).getTypes());
    auto own = [&](const Values& arguments) {
      Values given(arguments.begin(), arguments.begin() + static_cast<int64_t>(states));
      llvm::append_range(given, constant_captures);
      return given;
    };
    language::Body condition = language::make_body(b, types, [&](const Values& arguments) {
      return language::inlined(b, op.getCondition(), own(arguments));
    });
    language::Body body = language::make_body(b, types, [&](const Values& arguments) {
      Values results = language::inlined(b, op.getBody(), own(arguments));
      Value one = language::integer_constant(b, 1, DType::i64);
      results.push_back(language::elementwise(b, Fn::add, {arguments.back(), one}));
      return results;
    });
    Value count =
        language::while_loop(b, constant_inits, std::move(condition), std::move(body)).back();
    const Extent steps = extent_of(b, count, at.new_symbol);
    types.pop_back();
    language::Body step = language::make_body(b, types, [&](const Values& arguments) {
      Values given = arguments;
      llvm::append_range(given, captures);
      return language::inlined(b, op.getBody(), given);
    });
    return as_loop(
        op, language::scan(b, inits, {}, steps, language::Direction::forward, std::move(step)));
  });
}

// Note [Windows]
// The residual of an op that reads a window of an array is the window's start, and what a step
// makes of it: never the array. Where a step changes an array by windows its adjoint is carried by
// the reversed loop and changed by the same windows, in place. So a loop that touches n rows has a
// derivative that touches n rows.

} // namespace kolam::transform::derive
