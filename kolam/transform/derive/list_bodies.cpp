// Bodies over the elements of lists: tangents beside elements, or a linear body over lists of
// residuals.
#include "kolam/language/lists.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/transform/derive/bodies.h"
#include "kolam/transform/derive/hoist.h"
#include "kolam/transform/derive/list_loop.h"
#include "kolam/transform/derive/rules.h"

namespace kolam::transform::derive {
namespace {

using Types = llvm::SmallVector<mlir::Type>;

/// The active ones among a body's arguments, once its states agree.
Flags active_of(const ListLoop& loop, const Linearisation& at) {
  Flags active;
  for (Value operand : loop.op->getOperands())
    active.push_back(at.is_active(operand));
  Activity activity;
  return activity.of_states(loop.body, active, 0, loop.states());
}

void loop_jointly(const ListLoop& loop, const Flags& active, Linearisation& at) {
  Builder& b = at.b;
  Values inits = at.primals(loop.inits), lists = at.primals(loop.lists);
  const size_t states = loop.states(), elements = loop.lists.size();
  std::vector<size_t> active_states, active_lists;
  for (size_t number = 0; number < states; ++number)
    if (active[number]) {
      active_states.push_back(number);
      inits.push_back(at.tangent_or_zeros(loop.inits[number]));
    }
  for (size_t number = 0; number < elements; ++number)
    if (active[states + number]) {
      active_lists.push_back(number);
      lists.push_back(at.tangent(loop.lists[number]));
    }
  mlir::ValueRange yielded = loop.body.front().getTerminator()->getOperands();
  Activity activity;
  Flags results = activity.of_results(loop.body, active);
  std::vector<size_t> given_tangents;
  for (size_t number = states; number < yielded.size(); ++number)
    if (results[number] && is_differentiable(yielded[number].getType()))
      given_tangents.push_back(number);
  ListResults given = run_over_lists(b, inits, lists, loop.options(), [&](const Values& arguments) {
    Linearisation inner(b, b, at.new_symbol);
    const size_t all_states = inits.size();
    for (size_t number = 0; number < states; ++number)
      inner.set(loop.body.getArgument(static_cast<unsigned>(number)), arguments[number]);
    for (auto [place, number] : llvm::enumerate(active_states))
      inner.set_tangent(loop.body.getArgument(static_cast<unsigned>(number)),
                        arguments[states + place]);
    for (size_t number = 0; number < elements; ++number)
      inner.set(loop.body.getArgument(static_cast<unsigned>(states + number)),
                arguments[all_states + number]);
    for (auto [place, number] : llvm::enumerate(active_lists))
      inner.set_tangent(loop.body.getArgument(static_cast<unsigned>(states + number)),
                        arguments[all_states + elements + place]);
    for (auto [number, capture] : llvm::enumerate(loop.captures)) {
      Value argument = loop.body.getArgument(static_cast<unsigned>(states + elements + number));
      inner.set(argument, at.primal(capture));
      inner.set_tangent(argument, at.tangent(capture));
    }
    linearise_block(loop.body.front(), inner);
    Values ends = inner.primals(yielded.take_front(states));
    for (size_t number : active_states)
      ends.push_back(inner.tangent_or_zeros(yielded[number]));
    llvm::append_range(ends, inner.primals(yielded.drop_front(states)));
    for (size_t number : given_tangents)
      ends.push_back(inner.tangent_or_zeros(yielded[number]));
    return ends;
  });
  // Primal: last states, states of each step (a scan gives these), others.
  const size_t own = yielded.size() - states;
  size_t all_states = inits.size();
  for (size_t number = 0; number < states; ++number) {
    Value last = loop.op->getResult(static_cast<unsigned>(number));
    Value all = loop.op->getResult(static_cast<unsigned>(states + number));
    at.set(last, given.last[number]);
    at.set(all, given.stepwise[number]);
  }
  for (auto [place, number] : llvm::enumerate(active_states)) {
    at.set_tangent(loop.op->getResult(static_cast<unsigned>(number)), given.last[states + place]);
    at.set_tangent(loop.op->getResult(static_cast<unsigned>(states + number)),
                   given.stepwise[states + place]);
  }
  for (size_t number = 0; number < own; ++number)
    at.set(loop.op->getResult(static_cast<unsigned>(2 * states + number)),
           given.stepwise[all_states + number]);
  for (auto [place, number] : llvm::enumerate(given_tangents))
    at.set_tangent(loop.op->getResult(static_cast<unsigned>(states + number)),
                   given.stepwise[all_states + own + place]);
}

/// Gives a linear loop a primal value as a capture behind all others; its number among captures.
int64_t capture_behind(mlir::Operation* linear, Value primal) {
  linear->getRegion(0).addArgument(primal.getType(), primal.getLoc());
  auto map = llvm::dyn_cast<ir::ListMapOp>(linear);
  (map ? map.getCapturesMutable() : llvm::cast<ir::ListScanOp>(linear).getCapturesMutable())
      .append(primal);
  return static_cast<int64_t>(ListLoop::of(linear).captures.size()) - 1;
}

/// Makes the lists that a linear loop captures known to its transpose: how long their cotangents
/// are.
void add_templates(mlir::Operation* linear, const ListLoop& loop, const Linearisation& at) {
  Values templates;
  for (Value capture : ListLoop::of(linear).captures)
    for (Value own : loop.captures)
      if (llvm::isa<ir::ListType>(own.getType()) && at.tangent(own) == capture) {
        templates.push_back(at.primal(own));
        break;
      }
  for (Value primal : templates)
    capture_behind(linear, primal);
  if (!templates.empty())
    linear->setAttr("templates",
                    mlir::IntegerAttr::get(mlir::IntegerType::get(linear->getContext(), 64),
                                           static_cast<int64_t>(templates.size())));
}

/// Of each state the number of a list, where there is one.
using StateLists = std::vector<std::optional<size_t>>;

void loop_apart(const ListLoop& loop, const Flags& active, Linearisation& at) {
  require_shallow(loop.op);
  const size_t states = loop.states(), elements = loop.lists.size();
  Apart apart = linearise_apart(at.b, loop.body, {states}, active, at.new_symbol);
  Values captures = at.primals(loop.captures);
  Values taken =
      take_invariants(at.b, apart, loop.body.front().getTerminator()->getNumOperands(), captures);
  mlir::Block& primal = apart.primal->front();
  // What the linear body reads of each step: results, states before the step.
  mlir::Operation* yield = primal.getTerminator();
  Values ends(yield->operand_begin(), yield->operand_end());
  const size_t own = loop.body.front().getTerminator()->getNumOperands();
  for (int64_t argument : apart.arguments)
    if (argument >= 0 && loop.is_state(static_cast<size_t>(argument)))
      ends.push_back(primal.getArgument(static_cast<unsigned>(argument)));
  // Lists as states: what they are before each step says how long their cotangents are.
  StateLists before(states);
  for (auto [place, number] : llvm::enumerate(apart.linear.arguments)) {
    if (!loop.is_state(number) || !llvm::isa<ir::ListType>(loop.inits[number].getType()))
      continue;
    mlir::Region& linear = *apart.linear.region;
    if (!is_read(linear.getArgument(static_cast<unsigned>(apart.linear.residuals + place))) &&
        loop.op->getResult(static_cast<unsigned>(number)).use_empty())
      continue; // nobody asks
    Value state = primal.getArgument(static_cast<unsigned>(number));
    auto known = llvm::find(llvm::drop_begin(ends, static_cast<int64_t>(own)), state);
    before[number] = static_cast<size_t>(known - ends.begin());
    if (known == ends.end())
      ends.push_back(state);
  }
  yield->setOperands(ends);
  ListResults given = run_over_lists(at.b, at.primals(loop.inits), at.primals(loop.lists),
                                     loop.options(), [&](const Values& arguments) {
                                       Values all = arguments;
                                       llvm::append_range(all, captures);
                                       return language::inlined(at.b, *apart.primal, all);
                                     });
  // A map gives its results stepwise; a scan its states, last and stepwise.
  for (size_t number = 0; number < states; ++number) {
    at.set(loop.op->getResult(static_cast<unsigned>(number)), given.last[number]);
    at.set(loop.op->getResult(static_cast<unsigned>(states + number)), given.stepwise[number]);
  }
  for (size_t number = 2 * states; number < loop.op->getNumResults(); ++number)
    at.set(loop.op->getResult(static_cast<unsigned>(number)), given.stepwise[number - states]);

  // Where a residual comes from: a list of each step, or the same at all.
  Builder& b = at.linear;
  Values residual_lists, invariant;
  std::vector<std::pair<bool, size_t>> sources;
  size_t next = own, next_state = own + apart.residuals.size();
  for (int64_t argument : apart.arguments) {
    const auto number = static_cast<size_t>(argument);
    const bool is_taken = argument < -1;
    const bool is_capture = argument >= 0 && number >= states + elements;
    sources.push_back({is_capture || is_taken,
                       is_capture || is_taken ? invariant.size() : residual_lists.size()});
    if (is_taken)
      invariant.push_back(taken[static_cast<size_t>(-2 - argument)]);
    else if (is_capture)
      invariant.push_back(captures[number - states - elements]);
    else if (argument < 0)
      residual_lists.push_back(given.stepwise[next++]);
    else if (loop.is_state(number))
      residual_lists.push_back(given.stepwise[next_state++]);
    else
      residual_lists.push_back(at.primal(loop.lists[number - states]));
  }
  if (residual_lists.empty()) // a list that says how many steps there are
    residual_lists.push_back(at.primal(loop.lists[0]));
  Values inits;
  std::vector<size_t> active_states;
  StateLists after(states); // what zeros are like where the linear body gives no state
  for (size_t number = 0; number < states; ++number)
    if (active[number]) {
      active_states.push_back(number);
      inits.push_back(at.tangent_or_zeros(loop.inits[number]));
      if (before[number]) {
        residual_lists.push_back(given.stepwise[*before[number]]);
        before[number] = residual_lists.size() - 1;
      }
      if (llvm::isa<ir::ListType>(inits.back().getType()) &&
          !llvm::is_contained(apart.linear.results, number)) {
        after[number] = residual_lists.size();
        residual_lists.push_back(given.stepwise[number]);
      }
    }
  Values lists = residual_lists;
  for (size_t number = 0; number < elements; ++number)
    if (active[states + number])
      lists.push_back(at.tangent(loop.lists[number]));
  mlir::ValueRange yielded = loop.body.front().getTerminator()->getOperands();
  std::vector<size_t> given_tangents;
  for (size_t number : apart.linear.results)
    if (number >= states)
      given_tangents.push_back(number);
  if (inits.empty() && given_tangents.empty())
    return;
  ListResults tangents =
      run_over_lists(b, inits, lists, loop.options(), [&](const Values& arguments) {
        Values residuals, given_to;
        for (auto [is_capture, number] : sources)
          residuals.push_back(is_capture ? invariant[number] : arguments[inits.size() + number]);
        size_t state = 0, element = inits.size() + residual_lists.size();
        for (auto [number, is_active] : llvm::enumerate(active))
          if (is_active)
            given_to.push_back(loop.is_state(number)     ? arguments[state++]
                               : loop.is_element(number) ? arguments[element++]
                                                         : at.tangent(loop.op->getOperand(
                                                               static_cast<unsigned>(number))));
        Values made = apply_linear(b, apart.linear, residuals, given_to, at.new_symbol);
        Values results;
        for (auto [place, number] : llvm::enumerate(active_states)) {
          Value tangent = result_of(apart.linear, made, number);
          Value like = after[number] ? arguments[inits.size() + *after[number]] : arguments[place];
          results.push_back(tangent ? tangent : zeros_like(b, like));
        }
        for (size_t number : given_tangents)
          results.push_back(result_of(apart.linear, made, number));
        return results;
      });
  // How long cotangents of states are: in the end, and before each step.
  std::vector<int64_t> last_numbers, before_numbers;
  for (size_t number : active_states) {
    const auto& list = before[number];
    last_numbers.push_back(list ? capture_behind(tangents.op(), given.last[number]) : -1);
    before_numbers.push_back(list ? static_cast<int64_t>(*list) : -1);
  }
  if (llvm::any_of(before, [](const auto& list) { return list.has_value(); })) {
    tangents.op()->setAttr("last", b.getDenseI64ArrayAttr(last_numbers));
    tangents.op()->setAttr("before", b.getDenseI64ArrayAttr(before_numbers));
  }
  add_templates(tangents.op(), loop, at);
  for (auto [place, number] : llvm::enumerate(active_states)) {
    at.set_tangent(loop.op->getResult(static_cast<unsigned>(number)), tangents.last[place]);
    at.set_tangent(loop.op->getResult(static_cast<unsigned>(states + number)),
                   tangents.stepwise[place]);
  }
  for (auto [place, number] : llvm::enumerate(given_tangents))
    at.set_tangent(loop.op->getResult(static_cast<unsigned>(states + number)),
                   tangents.stepwise[active_states.size() + place]);
}

template <class Op> void linearise_loop(Op op, Linearisation& at) {
  ListLoop loop(op);
  Flags active = active_of(loop, at);
  if (at.is_joint())
    loop_jointly(loop, active, at);
  else
    loop_apart(loop, active, at);
}

/// One element after the other, behind states that are as many as lists: derivatives of states need
/// each of them.
Values in_turn(Builder& b, const ListLoop& loop, const Values& operands) {
  const size_t count = loop.lists.size();
  const auto lists = operands.begin() + static_cast<int64_t>(count);
  const Values inits(operands.begin(), lists), over(lists, lists + static_cast<int64_t>(count));
  const Values captures(lists + static_cast<int64_t>(count), operands.end());
  Types types(mlir::ValueRange(inits).getTypes());
  for (Value list : over)
    types.push_back(language::element_type(list));
  language::Body body = language::make_body(b, types, [&](const Values& arguments) {
    Values all = arguments;
    llvm::append_range(all, captures);
    return language::inlined(b, loop.body, all);
  });
  return language::list_scan(b, inits, over, loop.options(), std::move(body));
}

} // namespace

void linearise_whole(ir::ListMapOp op, Linearisation& at) { linearise_loop(op, at); }
void linearise_whole(ir::ListScanOp op, Linearisation& at) {
  if (!op.getAssociative())
    return linearise_loop(op, at);
  at.copy(op); // in its own order
  linearise_as(op, at, false, [&](Builder& b, const Values& operands) {
    return in_turn(b, ListLoop(op), operands);
  });
}

void linearise_whole(ir::ListReduceOp op, Linearisation& at) {
  at.copy(op); // in its own order
  linearise_as(op, at, false, [&](Builder& b, const Values& operands) {
    ListLoop loop(op);
    Values all = operands;
    if (loop.states() == 0) {
      Value first = language::weak_constant(b, int64_t{0}, DType::i64);
      Values inits;
      for (size_t number = 0; number < loop.lists.size(); ++number) {
        inits.push_back(language::list_index(b, all[number], first));
        language::Access rest;
        rest.lengths = {Extent::symbol("L") - 1};
        rest.index = {Extent::symbol("j0") + 1};
        all[number] = language::access(b, all[number], rest);
      }
      all.insert(all.begin(), inits.begin(), inits.end());
    }
    Values made = in_turn(b, loop, all);
    made.resize(loop.lists.size());
    return made;
  });
}

} // namespace kolam::transform::derive
