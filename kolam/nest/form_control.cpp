// Turns ops with bodies, and those the runtime computes, into steps.
#include "kolam/nest/form.h"

#include "kolam/ir/independent.h"
#include "kolam/ir/late.h"
#include "kolam/ir/location.h"
#include "kolam/support/error.h"

namespace kolam::nest {

static bool uses_any(const Shape& shape, const std::set<std::string>& symbols) {
  return llvm::any_of(shape, [&](const Extent& extent) {
    return llvm::any_of(extent.symbols(),
                        [&](const std::string& symbol) { return symbols.contains(symbol); });
  });
}

/// Memory that carries a loop's state, filled from the initial values.
std::vector<int> Former::copy_to_state(mlir::ValueRange inits, Steps& steps) {
  std::vector<int> state;
  for (mlir::Value init : inits) {
    int buffer = make_buffer(init, Place::arena);
    add_copy(steps, buffer_of(init), buffer);
    state.push_back(buffer);
  }
  return state;
}

void Former::open_loop(Steps& steps) {
  open_loops_.push_back({&steps, time_++, list_.program.buffers.size()});
}

/// The same of states whose leading extents are symbols that the loop binds.
std::vector<int> Former::copy_to_state(mlir::Operation* loop, mlir::ValueRange inits,
                                       Steps& steps) {
  std::vector<int> state;
  for (auto [number, init] : llvm::enumerate(inits)) {
    if (auto symbol = ir::late_symbol(loop, number)) {
      bind_late(*symbol);
      add_step(steps, BindStep{Extent::symbol(*symbol), -1, ir::shape_of(init)[0]}, {});
    }
    int buffer = make_buffer(loop->getResult(number), Place::arena);
    add_copy(steps, buffer_of(init), buffer);
    state.push_back(buffer);
  }
  return state;
}

void Former::bind_captures(mlir::Block& block, unsigned first, mlir::ValueRange captures) {
  for (auto [argument, capture] : llvm::zip(block.getArguments().drop_front(first), captures))
    bind(argument, buffer_of(capture));
}

void Former::copy_yield(mlir::Value value, int to, Steps& steps) {
  int from = buffer_of(value);
  if (from != to)
    add_copy(steps, from, to);
}

/// Binds the symbol of the state in buffer `state`: buffer `next` has its next value, or what comes
/// behind it, of so many rows.
void Former::bind_state(mlir::Operation* loop, size_t number, const Extent& rows, int next,
                        int state, Steps& steps) {
  BindStep bind{Extent::symbol(*ir::late_symbol(loop, number)), -1, rows};
  if (!ir::is_appended(loop, number)) {
    add_step(steps, bind, {});
    add_step(steps, CopyStep{next, state}, {next, state});
    return;
  }
  bind.extent = bind.symbol + rows;
  bind.grown = state;
  bind.behind = next;
  list_.program.buffers[state].grows = true;
  add_step(steps, bind, {next, state});
}

/// By state: which one it becomes as it is; -1 where it becomes something else.
static std::vector<int> sources_of(mlir::ValueRange yields, llvm::ArrayRef<mlir::Value> states) {
  std::vector<int> sources;
  for (auto [number, state] : llvm::enumerate(states)) {
    auto found = llvm::find(states, yields[number]);
    const bool is_taken = state && found != states.end() &&
                          ir::dtype_of(*found) == ir::dtype_of(state) &&
                          ir::shape_of(*found) == ir::shape_of(state);
    sources.push_back(is_taken ? static_cast<int>(found - states.begin()) : -1);
  }
  return sources;
}

/// Memory for the next states: of each rotation for the first one only, which all others get after
/// it. Those with late symbols are made when their own extent is bound.
std::vector<int> Former::make_next_states(mlir::ValueRange yields, llvm::ArrayRef<int> state,
                                          llvm::ArrayRef<Rotation> rotations,
                                          llvm::function_ref<bool(size_t)> is_late) {
  std::vector<int> next(state.size(), -1);
  for (int buffer : state)
    keep_alive(buffer);
  for (const Rotation& rotation : rotations) {
    const size_t first = rotation.states.front();
    if (is_late(first))
      continue;
    const int moved = rotation.is_closed ? state[first] : make_buffer(yields[first], Place::arena);
    keep_alive(moved);
    if (!rotation.is_closed)
      next[first] = moved;
    for (size_t number : rotation.states)
      if (state[number] != moved) {
        exchanged_.push_back({state[number], moved});
        if (rotation.is_closed)
          exchanged_.push_back({moved, state[number]});
      }
  }
  return next;
}

/// Moves each state to the one that takes it over: the first gets the next state and leaves what it
/// was there, where the second finds it.
void Former::rotate(const Rotation& rotation, llvm::ArrayRef<int> state, int next, Steps& steps) {
  llvm::ArrayRef<size_t> numbers = rotation.states;
  for (size_t number : rotation.is_closed ? numbers : numbers.drop_back())
    touch(state[number]); // read to the end of the turn
  const int moved = rotation.is_closed ? state[numbers.front()] : next;
  keep_alive(moved);
  for (size_t number : numbers) {
    if (state[number] == moved)
      continue;
    keep_alive(state[number]);
    exchanged_at_[moved] = exchanged_at_[state[number]] = time_;
    add_step(steps, SwapStep{moved, state[number]}, {});
  }
}

/// A body's steps. Of what it yields, the first become the next state, by exchanging memory; the
/// rest go to `slots`. `resizing` is the loop, where that may have late symbols. States are the
/// arguments of the block from number `first` on.
void Former::form_turn(mlir::Block& block, unsigned first, llvm::ArrayRef<int> state,
                       llvm::ArrayRef<int> slots, Steps& steps, mlir::Operation* resizing) {
  mlir::ValueRange yields = block.getTerminator()->getOperands();
  std::set<std::string> late;
  auto late_symbol = [&](size_t number) {
    return resizing ? ir::late_symbol(resizing, number) : std::nullopt;
  };
  auto is_late = [&](size_t number) { return late_symbol(number).has_value(); };
  std::vector<mlir::Value> states;
  for (size_t number = 0; number < state.size(); ++number) {
    if (auto symbol = late_symbol(number))
      late.insert(*symbol);
    states.push_back(is_late(number) ? mlir::Value() : block.getArgument(first + number));
  }
  const std::vector<Rotation> rotations = rotations_of(sources_of(yields, states));
  const std::vector<int> next = make_next_states(yields, state, rotations, is_late);
  std::vector<int> targets = next;
  targets.insert(targets.end(), slots.begin(), slots.end());
  for (auto [value, target] : llvm::zip(yields, targets))
    if (target >= 0 && value.getDefiningOp())
      destinations_.try_emplace(value, target);
  form_block(block, steps);
  for (auto [number, value] : llvm::enumerate(yields)) {
    if (targets[number] >= 0)
      copy_yield(value, targets[number], steps);
    else if (is_late(number))
      targets[number] = buffer_of(value);
  }
  // What lies in memory that goes with a symbol of the loop is gone where that is bound.
  for (size_t number = 0; number < state.size(); ++number)
    if (late_symbol(number) && targets[number] != state[number] &&
        uses_any(list_.program.buffers[targets[number]].shape, late)) {
      int copy = make_buffer(yields[number], Place::arena);
      add_copy(steps, targets[number], copy);
      targets[number] = copy;
    }
  for (size_t number = 0; number < state.size(); ++number)
    if (late_symbol(number))
      bind_state(resizing, number, ir::shape_of(yields[number])[0], targets[number], state[number],
                 steps);
  for (const Rotation& rotation : rotations)
    if (const size_t head = rotation.states.front(); !is_late(head))
      rotate(rotation, state, next[head], steps);
}

void Former::form_step(ir::ForOp op, Steps& steps) {
  open_loop(steps);
  std::vector<int> state = copy_to_state(op, op.getInits(), steps);
  LoopStep loop;
  loop.lower = buffer_of(op.getLower());
  loop.upper = buffer_of(op.getUpper());
  touch(loop.lower);
  touch(loop.upper);
  int64_t start = time_++;
  mlir::Block& body = op.getBody().front();
  loop.counter = make_buffer(body.getArgument(0), Place::arena);
  touch(loop.counter);
  bind(body.getArgument(0), loop.counter);
  for (auto [argument, buffer] : llvm::zip(body.getArguments().drop_front(1), state))
    bind(argument, buffer);
  bind_captures(body, 1 + state.size(), op.getCaptures());
  form_turn(body, 1, state, {}, loop.body, op);
  touch(loop.counter);
  for (auto [result, buffer] : llvm::zip(op.getResults(), state))
    bind(result, buffer);
  open_loops_.pop_back();
  loops_.push_back({start, time_++});
  if (ir::is_independent(op))
    independent_loops_.insert({loop.counter, {state, loops_.back()}});
  steps.push_back({std::move(loop)});
}

void Former::form_step(ir::WhileOp op, Steps& steps) {
  open_loop(steps);
  std::vector<int> state = copy_to_state(op, op.getInits(), steps);
  WhileStep loop;
  int64_t start = time_++;
  mlir::Block& condition = op.getCondition().front();
  mlir::Block& body = op.getBody().front();
  for (mlir::Block* block : {&condition, &body}) {
    for (auto [argument, buffer] : llvm::zip(block->getArguments(), state))
      bind(argument, buffer);
    bind_captures(*block, state.size(), op.getCaptures());
  }
  form_block(condition, loop.condition);
  loop.holds = buffer_of(condition.getTerminator()->getOperand(0));
  touch(loop.holds);
  form_turn(body, 0, state, {}, loop.body, op);
  for (auto [result, buffer] : llvm::zip(op.getResults(), state))
    bind(result, buffer);
  open_loops_.pop_back();
  loops_.push_back({start, time_++});
  steps.push_back({std::move(loop)});
}

void Former::form_step(ir::CondOp op, Steps& steps) {
  BranchStep step;
  step.selector = buffer_of(op.getSelector());
  touch(step.selector);
  std::vector<int> results;
  for (auto [number, result] : llvm::enumerate(op.getResults())) {
    if (auto symbol = ir::late_symbol(op, number))
      bind_late(*symbol);
    results.push_back(make_result_buffer(result));
    bind(result, results.back());
    keep_alive(results.back());
  }
  BranchRange range{{time_++, 0}, {}};
  for (mlir::Region& region : op.getBranches()) {
    mlir::Block& block = region.front();
    const int64_t start = time_;
    bind_captures(block, 0, op.getCaptures());
    Steps& branch = step.branches.emplace_back();
    form_block(block, branch);
    mlir::ValueRange yields = block.getTerminator()->getOperands();
    for (auto [number, value] : llvm::enumerate(yields))
      if (auto symbol = ir::late_symbol(op, number))
        add_step(branch, BindStep{Extent::symbol(*symbol), -1, ir::shape_of(value)[0]}, {});
    for (auto [value, to] : llvm::zip(yields, results))
      copy_yield(value, to, branch);
    range.parts.push_back({start, time_});
  }
  for (mlir::Value operand : op.getOperands())
    keep_alive(buffer_of(operand));
  for (int buffer : results)
    keep_alive(buffer);
  range.whole.last = time_++;
  branches_.push_back(std::move(range));
  steps.push_back({std::move(step)});
}

void Former::form_step(ir::ScanOp op, Steps& steps) {
  open_loop(steps);
  std::vector<int> state = copy_to_state(op.getInits(), steps);
  LoopStep loop;
  loop.length = op.getLength().shape()[0];
  loop.reverse = op.getReverse();
  int64_t start = time_++;
  mlir::Block& body = op.getBody().front();
  for (auto [argument, buffer] : llvm::zip(body.getArguments(), state))
    bind(argument, buffer);
  auto slices = body.getArguments().drop_front(state.size()).take_front(op.getXs().size());
  for (auto [argument, whole] : llvm::zip(slices, op.getXs())) {
    int view = make_buffer(argument, Place::view);
    loop.views.push_back({view, buffer_of(whole)});
    touch(buffer_of(whole));
    bind(argument, view);
  }
  bind_captures(body, state.size() + op.getXs().size(), op.getCaptures());

  auto stacked = op.getResults().drop_front(state.size());
  auto yields = body.getTerminator()->getOperands().drop_front(state.size());
  std::vector<int> slots;
  for (auto [result, value] : llvm::zip(stacked, yields)) {
    int whole = make_result_buffer(result);
    bind(result, whole);
    touch(whole);
    slots.push_back(make_buffer(value, Place::view));
    loop.views.push_back({slots.back(), whole});
  }
  form_turn(body, 0, state, slots, loop.body);

  for (auto [result, buffer] : llvm::zip(op.getResults(), state))
    bind(result, buffer);
  for (mlir::Value result : stacked)
    touch(buffer_of(result));
  open_loops_.pop_back();
  loops_.push_back({start, time_++});
  steps.push_back({std::move(loop)});
}

void Former::form_step(ir::OpaqueCallOp op, Steps& steps) {
  CallStep step{op.getCallee().str(), ir::to_source_location(op.getLoc())};
  for (mlir::Value input : op.getInputs()) {
    int buffer = buffer_of(input);
    if (list_.program.buffers[buffer].shape != ir::shape_of(input)) { // a view of another shape
      int own = make_buffer(input, Place::arena);
      add_copy(steps, buffer, own);
      buffer = own;
    }
    step.inputs.push_back(buffer);
  }
  for (mlir::Value result : op.getResults()) {
    step.outputs.push_back(make_result_buffer(result));
    bind(result, step.outputs.back());
  }
  llvm::SmallVector<int> touched(step.inputs.begin(), step.inputs.end());
  touched.append(step.outputs.begin(), step.outputs.end());
  add_step(steps, std::move(step), touched);
}

/// From now on the symbol is known.
void Former::bind_late(const std::string& symbol) {
  late_symbols_.emplace(symbol, late_symbols_.size());
  late_buffers_.emplace_back();
}

void Former::form_step(ir::EmptyOp op, Steps&) {
  bind(op.getResult(), make_result_buffer(op.getResult()));
}

void Former::form_step(ir::BindExtentOp op, Steps& steps) {
  BindStep step{Extent::symbol(op.getSymbol().str()), buffer_of(op.getSize())};
  bind_late(op.getSymbol().str());
  add_step(steps, step, {step.size});
}

/// Tells each step that binds a symbol which buffers get their memory then.
void Former::place_late(Steps& steps, const std::vector<Lifetime>& extended) {
  for (Step& step : steps)
    if (auto* bind = std::get_if<BindStep>(&step.what)) {
      bind->buffers = late_buffers_[late_symbols_.at(bind->symbol.to_string())];
      bind->groups = group_late(list_.program.buffers, bind->buffers, extended);
    } else if (auto* loop = std::get_if<LoopStep>(&step.what)) {
      place_late(loop->body, extended);
      if (auto found = independent_loops_.find(loop->counter); found != independent_loops_.end())
        share_turns(*loop, found->second, list_, lifetimes_);
    } else if (auto* loop = std::get_if<WhileStep>(&step.what)) {
      place_late(loop->condition, extended);
      place_late(loop->body, extended);
    } else if (auto* branch = std::get_if<BranchStep>(&step.what)) {
      for (Steps& part : branch->branches)
        place_late(part, extended);
    }
}

/// A result that nobody reads has no buffer: -1.
template <class Op> RowStep Former::row_step(RowFunction function, Op op) {
  RowStep step{function, buffer_of(op.getOperand()), -1, -1};
  Shape shape = ir::shape_of(op.getOperand());
  step.length = shape.back();
  step.rows = element_count(Shape(shape.begin(), shape.end() - 1));
  for (auto [result, buffer] :
       {std::pair(op.getValues(), &step.values), std::pair(op.getIndices(), &step.places)}) {
    if (result.use_empty())
      continue;
    *buffer = make_result_buffer(result);
    bind(result, *buffer);
  }
  return step;
}

static std::vector<int> buffers_in(const RowStep& step) {
  std::vector<int> buffers{step.input};
  for (int output : {step.values, step.places})
    if (output >= 0)
      buffers.push_back(output);
  return buffers;
}

void Former::form_step(ir::SortOp op, Steps& steps) {
  RowStep step = row_step(RowFunction::sort, op);
  step.descending = op.getDescending();
  add_step(steps, step, buffers_in(step));
}

void Former::form_step(ir::TopKOp op, Steps& steps) {
  RowStep step = row_step(RowFunction::top_k, op);
  step.k = op.getK();
  step.descending = op.getLargest();
  add_step(steps, step, buffers_in(step));
}

} // namespace kolam::nest
