// Bodies over the elements of lists: tangents beside elements, or a linear body over lists of
// residuals; backwards, a body over lists of cotangents.
#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/lists.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/region.h"
#include "kolam/language/reverse.h"
#include "kolam/transform/derive/bodies.h"
#include "kolam/transform/derive/one_op.h"
#include "kolam/transform/derive/rules.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::transform::derive {
namespace {

using Types = llvm::SmallVector<mlir::Type>;

/// A list without elements: what a state is before the first.
Value empty_list(Builder& b, ir::ListType type) {
  Shape shape = ir::shape_of(mlir::Type(type.leaf()));
  shape.insert(shape.begin(), 0);
  Value leaves = zeros(b, language::tensor_type(b, ir::dtype_of(mlir::Type(type.leaf())), shape));
  Values offsets(static_cast<size_t>(type.depth()) - 1,
                 zeros(b, language::tensor_type(b, DType::i64, {1})));
  return language::pack(b, leaves, offsets);
}

/// Any value of a type: zeros, or a list without elements.
Value anything(Builder& b, mlir::Type type) {
  if (auto list = llvm::dyn_cast<ir::ListType>(type))
    return empty_list(b, list);
  return zeros(b, type);
}

/// What a map and a scan over lists have in common. A map is a scan without states.
struct Loop {
  explicit Loop(ir::ListMapOp map)
      : op(map), body(map.getBody()), lists(map.getLists()), captures(map.getCaptures()) {}
  explicit Loop(ir::ListScanOp scan)
      : op(scan), body(scan.getBody()), inits(scan.getInits()), lists(scan.getLists()),
        captures(scan.getCaptures()), is_reverse(scan.getReverse()) {}

  size_t states() const { return inits.size(); }
  bool is_state(size_t argument) const { return argument < states(); }
  bool is_element(size_t argument) const {
    return argument >= states() && argument < states() + lists.size();
  }

  mlir::Operation* op;
  mlir::Region& body;
  mlir::ValueRange inits, lists, captures;
  bool is_reverse = false;
};

/// What a loop gives: the last states, then, of each step, what its body gives: states, then
/// others.
struct Given {
  Values last, stepwise;
};

/// A loop over lists whose body gives the next states, then other values of each step.
Given run(Builder& b, const Values& inits, const Values& lists, bool is_reverse,
          const Types& others, const std::function<Values(const Values&)>& body) {
  Types types(mlir::ValueRange(inits).getTypes());
  Types elements;
  for (Value list : lists)
    elements.push_back(language::element_type(list));
  if (inits.empty()) {
    Given given;
    given.stepwise = language::list_map(b, lists, make_body(b, elements, body));
    return given;
  }
  // Other values are states that no step reads.
  Values all = inits;
  for (mlir::Type type : others)
    all.push_back(anything(b, type));
  llvm::append_range(types, others);
  llvm::append_range(types, elements);
  language::Body made = make_body(b, types, [&](const Values& arguments) {
    Values own(arguments.begin(), arguments.begin() + static_cast<int64_t>(inits.size()));
    own.insert(own.end(), arguments.begin() + static_cast<int64_t>(all.size()), arguments.end());
    return body(own);
  });
  language::ListScan options;
  options.direction = is_reverse ? language::Direction::reverse : language::Direction::forward;
  Values results = language::list_scan(b, all, lists, options, std::move(made));
  return {Values(results.begin(), results.begin() + static_cast<int64_t>(inits.size())),
          Values(results.begin() + static_cast<int64_t>(all.size()), results.end())};
}

/// The active ones among a body's arguments, once its states agree.
Flags active_of(const Loop& loop, const Linearisation& at) {
  Flags active;
  for (Value operand : loop.op->getOperands())
    active.push_back(at.is_active(operand));
  Activity activity;
  return activity.of_states(loop.body, active, 0, loop.states());
}

void loop_jointly(const Loop& loop, const Flags& active, Linearisation& at) {
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
  Types others;
  Activity activity;
  Flags results = activity.of_results(loop.body, active);
  std::vector<size_t> given_tangents;
  for (size_t number = states; number < yielded.size(); ++number)
    others.push_back(yielded[number].getType());
  for (size_t number = states; number < yielded.size(); ++number)
    if (results[number] && is_differentiable(yielded[number].getType())) {
      others.push_back(yielded[number].getType());
      given_tangents.push_back(number);
    }
  Given given = run(b, inits, lists, loop.is_reverse, others, [&](const Values& arguments) {
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

/// Makes the lists that a linear loop captures known to its transpose: how long their cotangents
/// are.
void add_templates(mlir::Operation* linear, const Loop& loop, const Linearisation& at) {
  Values templates;
  auto captures = [&](auto op) { return Values(op.getCaptures().begin(), op.getCaptures().end()); };
  auto map = llvm::dyn_cast<ir::ListMapOp>(linear);
  auto scan = llvm::dyn_cast<ir::ListScanOp>(linear);
  for (Value capture : map ? captures(map) : captures(scan))
    for (Value own : loop.captures)
      if (llvm::isa<ir::ListType>(own.getType()) && at.tangent(own) == capture)
        templates.push_back(at.primal(own));
  if (templates.empty())
    return;
  for (Value primal : templates) {
    linear->getRegion(0).addArgument(primal.getType(), primal.getLoc());
    (map ? map.getCapturesMutable() : scan.getCapturesMutable()).append(primal);
  }
  linear->setAttr("templates",
                  mlir::IntegerAttr::get(mlir::IntegerType::get(linear->getContext(), 64),
                                         static_cast<int64_t>(templates.size())));
}

void loop_apart(const Loop& loop, const Flags& active, Linearisation& at) {
  const size_t states = loop.states(), elements = loop.lists.size();
  Apart apart = linearise_apart(at.b, loop.body, active, at.new_symbol);
  mlir::Block& primal = apart.primal->front();
  // What the linear body reads of each step: results, states before the step.
  mlir::ValueRange ends = primal.getTerminator()->getOperands();
  const size_t own = loop.body.front().getTerminator()->getNumOperands();
  Types others;
  for (size_t number = states; number < ends.size(); ++number)
    others.push_back(ends[number].getType());
  Values states_read;
  for (int64_t argument : apart.arguments)
    if (argument >= 0 && loop.is_state(static_cast<size_t>(argument))) {
      states_read.push_back(primal.getArgument(static_cast<unsigned>(argument)));
      others.push_back(states_read.back().getType());
    }
  Values captures = at.primals(loop.captures);
  Given given = run(at.b, at.primals(loop.inits), at.primals(loop.lists), loop.is_reverse, others,
                    [&](const Values& arguments) {
                      mlir::IRMapping map;
                      Values all = arguments;
                      llvm::append_range(all, captures);
                      map.map(primal.getArguments(), all);
                      for (mlir::Operation& op : primal.without_terminator())
                        at.b.clone(op, map);
                      Values results;
                      for (Value end : ends)
                        results.push_back(map.lookupOrDefault(end));
                      for (Value state : states_read)
                        results.push_back(map.lookupOrDefault(state));
                      return results;
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
    const bool is_capture = argument >= 0 && number >= states + elements;
    sources.push_back({is_capture, is_capture ? invariant.size() : residual_lists.size()});
    if (is_capture)
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
  Values inits, lists = residual_lists;
  std::vector<size_t> active_states;
  for (size_t number = 0; number < states; ++number)
    if (active[number]) {
      active_states.push_back(number);
      inits.push_back(at.tangent_or_zeros(loop.inits[number]));
    }
  for (size_t number = 0; number < elements; ++number)
    if (active[states + number])
      lists.push_back(at.tangent(loop.lists[number]));
  mlir::ValueRange yielded = loop.body.front().getTerminator()->getOperands();
  std::vector<size_t> given_tangents;
  Types tangent_types;
  for (size_t number : apart.linear.results)
    if (number >= states) {
      given_tangents.push_back(number);
      tangent_types.push_back(yielded[number].getType());
    }
  if (inits.empty() && given_tangents.empty())
    return;
  Given tangents =
      run(b, inits, lists, loop.is_reverse, tangent_types, [&](const Values& arguments) {
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
        Values made = apply_linear(b, apart.linear, residuals, given_to);
        Values results;
        for (size_t number : active_states) {
          Value tangent = result_of(apart.linear, made, number);
          results.push_back(tangent ? tangent : zeros_like(b, arguments[results.size()]));
        }
        for (size_t number : given_tangents)
          results.push_back(result_of(apart.linear, made, number));
        return results;
      });
  // Lists that steps capture: how long their cotangents are.
  mlir::Operation* linear =
      (tangents.last.empty() ? tangents.stepwise[0] : tangents.last[0]).getDefiningOp();
  add_templates(linear, loop, at);
  for (auto [place, number] : llvm::enumerate(active_states)) {
    at.set_tangent(loop.op->getResult(static_cast<unsigned>(number)), tangents.last[place]);
    at.set_tangent(loop.op->getResult(static_cast<unsigned>(states + number)),
                   tangents.stepwise[place]);
  }
  for (auto [place, number] : llvm::enumerate(given_tangents))
    at.set_tangent(loop.op->getResult(static_cast<unsigned>(states + number)),
                   tangents.stepwise[active_states.size() + place]);
}

/// The numbers of a linear loop's captures that are lists and linear, with the primal list of each,
/// which is a capture behind all others.
std::vector<std::pair<size_t, Value>> templates_of(const Loop& loop, const Transposition& at) {
  std::vector<std::pair<size_t, Value>> found;
  auto attribute = loop.op->getAttrOfType<mlir::IntegerAttr>("templates");
  const size_t count = attribute ? static_cast<size_t>(attribute.getInt()) : 0;
  size_t next = loop.captures.size() - count;
  for (auto [number, capture] : llvm::enumerate(loop.captures))
    if (llvm::isa<ir::ListType>(capture.getType()) && at.is_linear(capture))
      found.push_back({number, at.coefficient(loop.captures[next++])});
  return found;
}

void transpose_loop(const Loop& loop, Transposition& at) {
  Builder& b = at.b;
  const size_t states = loop.states(), elements = loop.lists.size();
  mlir::ValueRange yielded = loop.body.front().getTerminator()->getOperands();
  auto argument_of = [&](size_t number) {
    return loop.body.getArgument(static_cast<unsigned>(number));
  };
  // Cotangents of what each step gives: of a scan its states, of a map its results.
  Values lists, inits;
  std::vector<std::optional<size_t>> y_places;
  for (size_t number = 0; number < yielded.size(); ++number) {
    Value result = loop.op->getResult(static_cast<unsigned>(states + number));
    y_places.emplace_back();
    if (at.has_cotangent(result)) {
      y_places.back() = lists.size();
      lists.push_back(at.cotangent(result));
    }
  }
  std::vector<std::optional<size_t>> x_places(elements);
  for (size_t number = 0; number < elements; ++number)
    if (!at.is_linear(loop.lists[number])) {
      x_places[number] = lists.size();
      lists.push_back(at.coefficient(loop.lists[number]));
    }
  for (size_t number = 0; number < states; ++number) {
    Value last = loop.op->getResult(static_cast<unsigned>(number));
    inits.push_back(at.has_cotangent(last) ? at.cotangent(last)
                                           : anything(b, loop.inits[number].getType()));
  }
  auto templates = templates_of(loop, at);
  std::vector<size_t> captured, carried; // tensors; lists, whose sums are carried
  for (auto [number, capture] : llvm::enumerate(loop.captures))
    if (at.is_linear(capture) && !llvm::isa<ir::ListType>(capture.getType()))
      captured.push_back(number);
  for (auto& [number, primal] : templates) {
    carried.push_back(number);
    inits.push_back(zeros_like(b, primal));
  }
  std::vector<size_t> given_elements; // whose cotangents the loop gives
  std::vector<std::vector<OneOp>> one_ops(captured.size());
  std::vector<size_t> summed(captured.size(), 0); // contributions that are no such op
  Types others;
  mlir::Block* made_block = nullptr;

  auto make = [&](const Values& arguments) {
    mlir::Block* block = b.getInsertionBlock();
    Transposition inner(b, at.new_symbol);
    for (size_t number = 0; number < states; ++number)
      inner.set_linear(argument_of(number));
    for (size_t number = 0; number < elements; ++number)
      if (x_places[number])
        inner.set_coefficient(argument_of(states + number),
                              arguments[inits.size() + *x_places[number]]);
      else
        inner.set_linear(argument_of(states + number));
    for (auto [number, capture] : llvm::enumerate(loop.captures))
      if (!at.is_linear(capture))
        inner.set_coefficient(argument_of(states + elements + number), at.coefficient(capture));
      else if (llvm::is_contained(carried, number))
        inner.set_linear(argument_of(states + elements + number));
      else
        inner.collect(argument_of(states + elements + number));
    prepare(loop.body.front(), inner);
    for (size_t number = yielded.size(); number-- > 0;) {
      if (number < states)
        inner.add(yielded[number], arguments[number]);
      if (y_places[number])
        inner.add(yielded[number], arguments[inits.size() + *y_places[number]]);
    }
    transpose_block(loop.body.front(), inner);
    Values results;
    for (size_t number = 0; number < states; ++number) {
      Value found = inner.cotangent(argument_of(number));
      results.push_back(found ? found : zeros_like(b, arguments[number]));
    }
    for (auto [place, number] : llvm::enumerate(carried)) {
      Value argument = argument_of(states + elements + number), before = arguments[states + place];
      Transposition sum(b, at.new_symbol);
      sum.set_linear(argument);
      sum.add(argument, before);
      sum.add(argument, inner.cotangent(argument));
      results.push_back(sum.sum(argument));
    }
    given_elements.clear();
    for (size_t number = 0; number < elements; ++number)
      if (!x_places[number])
        if (Value found = inner.cotangent(argument_of(states + number))) {
          given_elements.push_back(number);
          results.push_back(found);
        }
    one_ops.assign(captured.size(), {});
    summed.assign(captured.size(), 0);
    for (auto [number, capture] : llvm::enumerate(captured)) {
      Value argument = argument_of(states + elements + capture);
      Value sum;
      for (const auto& contribution : inner.contributions(argument)) {
        std::optional<OneOp> one;
        if (!contribution.starts)
          one = as_one_op(contribution.value, *block, true);
        if (one) {
          for (Value operand : one->changing)
            if (operand)
              results.push_back(operand);
          one_ops[number].push_back(std::move(*one));
          continue;
        }
        Transposition whole(b, at.new_symbol);
        whole.set_linear(argument);
        if (sum)
          whole.add(argument, sum);
        whole.add(argument, contribution);
        sum = whole.cotangent(argument);
      }
      if (sum) {
        summed[number] = 1;
        results.push_back(sum);
      }
    }
    others.clear();
    for (size_t number = inits.size(); number < results.size(); ++number)
      others.push_back(results[number].getType());
    made_block = block;
    return results;
  };
  // The types of what a step gives are known when a body has been made.
  Types types(mlir::ValueRange(inits).getTypes());
  for (Value list : lists)
    types.push_back(language::element_type(list));
  language::make_region(b, types, make);
  const bool is_reverse = !loop.is_reverse;
  Given given = run(b, inits, lists, is_reverse, others, make);

  // What the body captures, as it is outside.
  mlir::Operation* made_op =
      (given.last.empty() ? given.stepwise[0] : given.last[0]).getDefiningOp();
  mlir::Region& made_body = made_op->getRegion(0);
  const size_t own = made_body.getNumArguments() -
                     (llvm::isa<ir::ListMapOp>(made_op)
                          ? llvm::cast<ir::ListMapOp>(made_op).getCaptures().size()
                          : llvm::cast<ir::ListScanOp>(made_op).getCaptures().size());
  mlir::ValueRange outside_values =
      llvm::isa<ir::ListMapOp>(made_op)
          ? mlir::ValueRange(llvm::cast<ir::ListMapOp>(made_op).getCaptures())
          : mlir::ValueRange(llvm::cast<ir::ListScanOp>(made_op).getCaptures());
  auto outside = [&](Value value) -> Value {
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
    return argument && argument.getOwner() == &made_body.front() && argument.getArgNumber() >= own
               ? outside_values[argument.getArgNumber() - own]
               : value;
  };
  // All steps of a list, the last first; those of one op have one extent.
  auto stacked = [&](Value list, std::optional<Extent>& count) {
    std::vector<std::string> symbols;
    for (int64_t level = 0; level < llvm::cast<ir::ListType>(list.getType()).depth(); ++level)
      symbols.push_back(at.new_symbol());
    Value leaves = language::unpack(b, list, symbols)[0];
    Shape shape = ir::shape_of(leaves);
    count = count.value_or(shape[0]);
    shape[0] = *count;
    leaves = language::with_shape(b, leaves, shape);
    return is_reverse ? language::flip(b, leaves, language::Axes{0}) : leaves;
  };
  size_t next = inits.empty() ? 0 : inits.size();
  std::vector<std::pair<size_t, Value>> x_cotangents;
  for (size_t number : given_elements)
    x_cotangents.push_back({number, given.stepwise[next++]});
  std::vector<Values> sums(captured.size());
  for (size_t number = 0; number < captured.size(); ++number) {
    for (const OneOp& one : one_ops[number]) {
      Values operands;
      std::optional<Extent> count;
      for (auto [changing, operand] : llvm::zip(one.changing, one.core->getOperands()))
        operands.push_back(changing ? stacked(given.stepwise[next++], count) : outside(operand));
      sums[number].push_back(over_steps(b, one, operands));
    }
    std::optional<Extent> count;
    if (summed[number] != 0)
      sums[number].push_back(
          language::combine(b, stacked(given.stepwise[next++], count), Fn::add, {0}));
  }
  for (size_t number = carried.size(); number-- > 0;)
    at.add(loop.captures[carried[number]], given.last[states + number]);
  for (size_t number = captured.size(); number-- > 0;)
    for (Value sum : sums[number])
      at.add(loop.captures[captured[number]], sum);
  for (auto& [number, value] : llvm::reverse(x_cotangents))
    at.add(loop.lists[number], value);
  for (size_t number = states; number-- > 0;)
    at.add(loop.inits[number], given.last[number]);
}

template <class Op> void linearise_loop(Op op, Linearisation& at) {
  Loop loop(op);
  Flags active = active_of(loop, at);
  if (at.is_joint())
    loop_jointly(loop, active, at);
  else
    loop_apart(loop, active, at);
}

} // namespace

void linearise_whole(ir::ListMapOp op, Linearisation& at) { linearise_loop(op, at); }
void linearise_whole(ir::ListScanOp op, Linearisation& at) { linearise_loop(op, at); }
void transpose_rule(ir::ListMapOp op, Transposition& at) { transpose_loop(Loop(op), at); }
void transpose_rule(ir::ListScanOp op, Transposition& at) { transpose_loop(Loop(op), at); }

/// One element after the other: the derivatives of states need each of them.
void linearise_whole(ir::ListReduceOp op, Linearisation& at) {
  linearise_as(op, at, true, [&](Builder& b, const Values& operands) {
    const size_t inits = op.getInits().size(), lists = op.getLists().size();
    Values start(operands.begin(), operands.begin() + static_cast<int64_t>(inits));
    Values over(operands.begin() + static_cast<int64_t>(inits),
                operands.begin() + static_cast<int64_t>(inits + lists));
    Values captures(operands.begin() + static_cast<int64_t>(inits + lists), operands.end());
    if (start.empty()) {
      Value first = language::weak_constant(b, int64_t{0}, DType::i64);
      for (Value& list : over) {
        start.push_back(language::list_index(b, list, first));
        language::Access rest;
        rest.lengths = {Extent::symbol("L") - 1};
        rest.index = {Extent::symbol("j0") + 1};
        list = language::access(b, list, rest);
      }
    }
    Types types(mlir::ValueRange(start).getTypes());
    for (Value list : over)
      types.push_back(language::element_type(list));
    language::Body body = make_body(b, types, [&](const Values& arguments) {
      mlir::IRMapping map;
      Values all = arguments;
      llvm::append_range(all, captures);
      map.map(op.getBody().getArguments(), all);
      for (mlir::Operation& inner : op.getBody().front().without_terminator())
        b.clone(inner, map);
      Values results;
      for (Value value : op.getBody().front().getTerminator()->getOperands())
        results.push_back(map.lookupOrDefault(value));
      return results;
    });
    Values made = language::list_scan(b, start, over, {}, std::move(body));
    made.resize(start.size());
    return made;
  });
}

} // namespace kolam::transform::derive
