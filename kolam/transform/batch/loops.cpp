// Loops: all instances turn together, and those that have stopped keep their state.
#include "kolam/ir/going.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/transpose.h"
#include "kolam/transform/batch/bodies.h"

namespace kolam::transform::batch {
namespace {

Results joined(const Results& x, Operands y) {
  Results all = x;
  all.insert(all.end(), y.begin(), y.end());
  return all;
}

/// A loop whose instances stop at different turns.
struct Loop {
  Flags flags;                                             ///< of the state
  std::function<Value(const Results&, Instances&)> holds;  ///< bool [count]
  std::function<Results(const Results&, Instances&)> turn; ///< the next state
};

/// The state with which each instance stops. The loop turns while one instance goes on; what is of
/// each instance changes only for those.
Values run_apart(const Loop& loop, const Values& inits, Instances& all) {
  auto going_on = [&](const Values& state, Value running) {
    Instances asked = all.with(running);
    return both(all, running, loop.holds(with_flags(state, loop.flags), asked));
  };
  Values carried = inits;
  carried.push_back(going_on(inits, all.active));
  llvm::SmallVector<mlir::Type> types = types_of(carried);
  language::Body condition = language::make_body(
      all.b, types, [&](const Values& state) { return Values{any(all, state.back())}; });
  language::Body body = language::make_body(all.b, types, [&](const Values& arguments) {
    Value running = arguments.back();
    Values state(arguments.begin(), arguments.end() - 1);
    Instances turning = all.with(running);
    Values next = fit(all, loop.turn(with_flags(state, loop.flags), turning), loop.flags);
    for (size_t i = 0; i < state.size(); ++i)
      if (loop.flags[i] && next[i] != state[i])
        next[i] = select(all, running, next[i], state[i]);
    next.push_back(going_on(next, running));
    return next;
  });
  Values results = language::while_loop(all.b, carried, std::move(condition), std::move(body));
  results.pop_back();
  return results;
}

/// Whether a loop asks if any element goes on, and elements that do not stay as they are: turns
/// that other instances take then change none of an instance that has stopped. A product's
/// derivative reads what such turns compute.
bool waits_for_no_other(ir::WhileOp op) {
  if (holds_factors(op.getBody()))
    return false;
  std::optional<ir::Going> going = ir::going(op);
  return going && going->elements && going->scalars.empty() &&
         llvm::all_of(op.getResults(), [&](Value state) {
           return ir::shape_of(state) == ir::shape_of(going->elements);
         });
}

/// Whether a condition, which is written down twice, gives sizes to symbols, of which each has one
/// place.
bool binds_symbols(mlir::Region& condition) {
  return condition
      .walk([](mlir::Operation* op) {
        return llvm::isa<ir::BindExtentOp, ir::UnpackOp>(op) ? mlir::WalkResult::interrupt()
                                                             : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// How often a condition would be written down if every loop in it were taken apart: each has its
/// condition before its first turn and after every one.
bool nests_too_deep(mlir::Region& condition) {
  constexpr int kMost = 3; // size of code
  int most = 0;
  condition.walk([&](ir::WhileOp loop) {
    int depth = 0;
    for (mlir::Region* region = loop->getParentRegion(); region;
         region = region->getParentRegion()) {
      auto outer = llvm::dyn_cast<ir::WhileOp>(region->getParentOp());
      depth += outer && region == &outer.getCondition();
      if (region == &condition)
        break;
    }
    most = std::max(most, depth);
  });
  return most > kMost;
}

/// A counted loop whose bounds differ: each instance has its own counter, first in the state.
Results count_apart(ir::ForOp op, Operands operands, const Flags& flags, Instances& all) {
  Operands bounds = operands.take_front(2), captures = operands.drop_front(2 + flags.size());
  Value upper = as_each(all, bounds[1]);
  Loop loop;
  loop.flags = {true};
  loop.flags.insert(loop.flags.end(), flags.begin(), flags.end());
  loop.holds = [&](const Results& state, Instances& asked) {
    return language::elementwise(asked.b, Fn::less, {state[0].value, upper});
  };
  loop.turn = [&](const Results& state, Instances& turning) {
    Builder& b = turning.b;
    Results next = batch_region(op.getBody(), joined(state, captures), turning);
    Value one = language::weak_constant(b, int64_t{1}, ir::dtype_of(upper));
    next.insert(next.begin(), {language::elementwise(b, Fn::add, {state[0].value, one}), true});
    return next;
  };
  Values inits = fit(all, operands.slice(2, flags.size()).vec(), flags);
  inits.insert(inits.begin(), as_each(all, bounds[0]));
  Values results = run_apart(loop, inits, all);
  return with_flags(llvm::ArrayRef(results).drop_front(), flags);
}

/// [count, t...] with t in front, where a scan slices it and stacks it; or back again.
Value swapped(Builder& b, Value x) { return language::moveaxis(b, x, {0}, {1}); }

} // namespace

Results batch_rule(ir::ForOp op, Operands operands, Instances& all) {
  Flags flags = all.analysis.results(op, flags_of(operands));
  if (operands[0].is_each || operands[1].is_each)
    return count_apart(op, operands, flags, all);
  Values inits = fit(all, operands.slice(2, flags.size()).vec(), flags);
  llvm::SmallVector<mlir::Type> types{operands[0].value.getType()};
  llvm::append_range(types, types_of(inits));
  language::Body body = language::make_body(all.b, types, [&](const Values& arguments) {
    Results state{{arguments[0], false}};
    state = joined(state, with_flags(llvm::ArrayRef(arguments).drop_front(), flags));
    Operands captures = operands.drop_front(2 + flags.size());
    return fit(all, batch_region(op.getBody(), joined(state, captures), all), flags);
  });
  return with_flags(
      language::for_loop(all.b, operands[0].value, operands[1].value, inits, std::move(body)),
      flags);
}

Results batch_rule(ir::WhileOp op, Operands operands, Instances& all) {
  Flags flags = all.analysis.results(op, flags_of(operands));
  Operands captures = operands.drop_front(flags.size());
  Values inits = fit(all, operands.take_front(flags.size()).vec(), flags);
  Results first = joined(with_flags(inits, flags), captures);
  auto holds = [&](const Results& state, Instances& asked) {
    return batch_region(op.getCondition(), joined(state, captures), asked)[0];
  };
  auto turn = [&](const Results& state, Instances& turning) {
    return batch_region(op.getBody(), joined(state, captures), turning);
  };
  const bool stop_apart = all.analysis.yields(op.getCondition(), flags_of(first))[0];
  const bool turn_together = !stop_apart || (!all.active && waits_for_no_other(op));
  if (!turn_together) {
    if (nests_too_deep(op.getCondition()))
      refuse("conditions of loops nest deeply in it");
    if (binds_symbols(op.getCondition()))
      refuse("its condition gives a symbol its size");
    Loop loop{
        flags,
        [&](const Results& state, Instances& asked) { return as_each(asked, holds(state, asked)); },
        turn};
    return with_flags(run_apart(loop, inits, all), flags);
  }
  llvm::SmallVector<mlir::Type> types = types_of(inits);
  language::Body condition = language::make_body(all.b, types, [&](const Values& state) {
    Batched holding = holds(with_flags(state, flags), all);
    return Values{holding.is_each ? any(all, holding.value) : holding.value};
  });
  language::Body body = language::make_body(all.b, types, [&](const Values& state) {
    return fit(all, turn(with_flags(state, flags), all), flags);
  });
  return with_flags(language::while_loop(all.b, inits, std::move(condition), std::move(body)),
                    flags);
}

Results batch_rule(ir::ScanOp op, Operands operands, Instances& all) {
  size_t states = op.getInits().size(), slices = op.getXs().size();
  Flags flags = all.analysis.results(op, flags_of(operands));
  Flags state_flags(flags.begin(), flags.begin() + static_cast<int64_t>(states));
  Operands sliced = operands.slice(states, slices);
  Operands captures = operands.drop_front(states + slices);
  Values inits = fit(all, operands.take_front(states).vec(), state_flags), xs;
  for (const Batched& x : sliced)
    xs.push_back(x.is_each ? swapped(all.b, x.value) : x.value);
  llvm::SmallVector<mlir::Type> types = types_of(inits);
  for (Value x : xs)
    types.push_back(language::slice_type(all.b, x));
  language::Body body = language::make_body(all.b, types, [&](const Values& arguments) {
    llvm::ArrayRef<Value> own(arguments);
    Results given = with_flags(own.take_front(states), state_flags);
    given = joined(given, with_flags(own.drop_front(states), flags_of(sliced)));
    return fit(all, batch_region(op.getBody(), joined(given, captures), all), flags);
  });
  auto direction = op.getReverse() ? language::Direction::reverse : language::Direction::forward;
  Values results =
      language::scan(all.b, inits, xs, op.getLength().shape()[0], direction, std::move(body));
  for (size_t i = states; i < results.size(); ++i)
    if (flags[i])
      results[i] = swapped(all.b, results[i]);
  return with_flags(results, flags);
}

} // namespace kolam::transform::batch
