// Loops and branches that carry, give or use lists.
#include "kolam/transform/lists/convert.h"
#include "kolam/transform/lists/host_calls.h"
#include "kolam/transform/lists/rename.h"

#include "kolam/ir/late.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"

namespace kolam::transform::lists {
namespace {

FlatValues slice(const FlatValues& values, size_t first, size_t count) {
  auto begin = values.begin() + static_cast<int64_t>(first);
  return FlatValues(begin, begin + static_cast<int64_t>(count));
}

FlatValues joined(FlatValues first, const FlatValues& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const Frame* single_around(const Frame* frame) {
  while (!frame->is_single)
    frame = frame->outer;
  return frame;
}

constexpr const char* kApart = "instances turn together, those that stop keep their states";

void set_all(mlir::ResultRange results, const FlatValues& flat, Environment& values) {
  for (auto [result, value] : llvm::zip(results, flat))
    values.insert_or_assign(result, value);
}

} // namespace

/// A loop whose instances stop at different turns. Each turn is for those that go on; the others
/// keep their states.
struct Conversion::ApartLoop {
  /// For each instance of a frame whether it goes on: bool [count]. The first use is in front of
  /// the loop, all others in it.
  std::function<Value(const FlatValues& states, const Frame* frame)> first_holds, holds;
  std::function<FlatValues(const FlatValues& states, const Frame* part)> turn;
};

/// Where a loop or branch belongs: to the instances that its operands depend on. A function of the
/// host is called for each.
const Frame* Conversion::frame_of_control(mlir::Operation* op, const FlatValues& operands,
                                          const Frame* frame) {
  return calls_host(op) ? frame : innermost(operands);
}

void Conversion::note_resizing(mlir::Operation* loop) {
  if (llvm::any_of(loop->getResultTypes(), llvm::IsaPred<ir::ListType>))
    note(loop, "its lists are allocated at each turn, as their lengths may change");
}

FlatValues Conversion::run_apart(const ApartLoop& loop, const FlatValues& inits, const Frame* at) {
  LoopStates own(frames, inits, at, Lengths::change);
  CarriedValues first = own.first();
  first.add(loop.first_holds(own.get(first.values), at), Carry::fixed);
  auto any = [&](const Values& carried) {
    auto inside = frames.inside();
    Value running = language::cast(b, carried.back(), DType::i64);
    return integers.apply(Fn::greater, integers.largest(running), integers.constant(0));
  };
  auto turn = [&](const Values& carried) {
    auto inside = frames.inside();
    Integers::Places running = integers.where(carried.back(), at->count);
    const Frame* part = frames.make(at, running.count, running.places);
    FlatValues old = own.get(carried), current;
    for (const FlatValue& state : old)
      current.push_back(frames.bring(state, part));
    FlatValues next = loop.turn(current, part);
    CarriedValues result = own.put(old, next, part);
    result.add(integers.put(carried.back(), loop.holds(next, part), running.places), Carry::fixed);
    return result.values;
  };
  return own.get(resizing_while(integers, first.values, first.carries, any, turn));
}

void Conversion::convert_op(ir::WhileOp op, const Frame* frame, Environment& values) {
  const size_t states = op.getInits().size();
  FlatValues operands = get(op->getOperands(), values);
  const Frame* at = frame_of_control(op, operands, frame);
  FlatValues inits = slice(operands, 0, states),
             captures = slice(operands, states, operands.size() - states);
  auto holds = [&](mlir::Region& condition, const FlatValues& given, const Frame* of) {
    FlatValues result = convert_block(condition.front(), joined(given, captures), of);
    return frames.each(std::get<FlatTensor>(result[0]), of);
  };
  auto next = [&](const FlatValues& given, const Frame* of) {
    return convert_block(op.getBody().front(), joined(given, captures), of);
  };
  note_resizing(op);
  if (!at->is_single) {
    note(op, kApart);
    auto again = renamed(op.getCondition(), integers);
    ApartLoop loop{
        [&](const FlatValues& given, const Frame* of) {
          return holds(op.getCondition(), given, of);
        },
        [&](const FlatValues& given, const Frame* of) { return holds(*again, given, of); }, next};
    return set_all(op.getResults(), run_apart(loop, inits, at), values);
  }
  LoopStates own(frames, inits, at, Lengths::change);
  auto condition = [&](const Values& carried) {
    auto inside = frames.inside();
    return holds(op.getCondition(), own.get(carried), at);
  };
  auto turn = [&](const Values& carried) {
    auto inside = frames.inside();
    FlatValues current = own.get(carried);
    return own.put(current, next(current, at), at).values;
  };
  const CarriedValues& first = own.first();
  Values last = resizing_while(integers, first.values, first.carries, condition, turn);
  set_all(op.getResults(), own.get(last), values);
}

void Conversion::convert_op(ir::ForOp op, const Frame* frame, Environment& values) {
  const size_t states = op.getInits().size();
  FlatValues operands = get(op->getOperands(), values);
  const Frame* at = frame_of_control(op, operands, frame);
  const auto lower = std::get<FlatTensor>(operands[0]), upper = std::get<FlatTensor>(operands[1]);
  FlatValues inits = slice(operands, 2, states),
             captures = slice(operands, 2 + states, operands.size() - 2 - states);
  auto next = [&](const FlatTensor& counter, const FlatValues& given, const Frame* of) {
    return convert_block(op.getBody().front(), joined(joined({counter}, given), captures), of);
  };
  if (!lower.frame->is_single || !upper.frame->is_single) {
    note(op, kApart);
    // Each instance has its own counter, first among the states.
    auto holds = [&](const FlatValues& given, const Frame* of) {
      return integers.apply(Fn::less, frames.each(std::get<FlatTensor>(given[0]), of),
                            frames.each(upper, of));
    };
    auto turn = [&](const FlatValues& given, const Frame* part) {
      const auto& counter = std::get<FlatTensor>(given[0]);
      Value one = language::weak_constant(b, int64_t{1}, ir::dtype_of(counter.value));
      FlatTensor behind{part, integers.apply(Fn::add, frames.each(counter, part), one)};
      return joined({behind}, next(counter, slice(given, 1, given.size() - 1), part));
    };
    FlatValues last = run_apart({holds, holds, turn}, joined({lower}, inits), at);
    return set_all(op.getResults(), slice(last, 1, states), values);
  }
  note_resizing(op);
  LoopStates own(frames, inits, at, Lengths::change);
  auto turn = [&](Value i, const Values& carried) {
    auto inside = frames.inside();
    FlatValues current = own.get(carried);
    return own.put(current, next({single_around(at), i}, current, at), at).values;
  };
  const CarriedValues& first = own.first();
  Values last =
      resizing_loop(integers, lower.value, upper.value, first.values, first.carries, turn);
  set_all(op.getResults(), own.get(last), values);
}

/// One branch for all instances of `at`.
FlatValues Conversion::take_one_branch(ir::CondOp op, Value selector, const FlatValues& captures,
                                       const Frame* at) {
  CarriedValues given; // of the first branch
  std::vector<language::Body> bodies;
  for (mlir::Region& branch : op.getBranches()) {
    auto region = language::make_region(b, {}, [&](const Values&) {
      auto inside = frames.inside();
      auto known = integers.inside();
      CarriedValues own;
      for (const FlatValue& yield : convert_block(branch.front(), captures, at))
        if (auto* list = std::get_if<FlatList>(&yield))
          add_list(own, frames.bring(*list, at), frames);
        else
          own.add(frames.each(std::get<FlatTensor>(yield), at), Carry::fixed);
      if (bodies.empty())
        given = own;
      return own.values;
    });
    Values outside = language::isolate(*region);
    bodies.push_back({std::move(region), std::move(outside)});
  }
  Values results = resizing_branch(integers, selector, given.carries, std::move(bodies));
  FlatValues flat;
  auto next = results.cbegin();
  for (mlir::Type type : op.getResultTypes())
    if (auto list = llvm::dyn_cast<ir::ListType>(type))
      flat.push_back(take_list(next, list.depth(), at->count, at, frames));
    else
      flat.push_back(FlatTensor{at, *next++});
  return flat;
}

/// Each branch for the instances that take it.
FlatValues Conversion::take_branches(ir::CondOp op, Value selector, const FlatValues& captures,
                                     const Frame* at) {
  const auto last = static_cast<int64_t>(op.getBranches().size()) - 1;
  Value chosen = integers.apply(
      Fn::minimum,
      integers.apply(Fn::maximum, language::cast(b, selector, DType::i64), integers.constant(0)),
      integers.constant(last));
  Values order; // the instances, branch by branch
  std::vector<FlatValues> given;
  for (auto [number, branch] : llvm::enumerate(op.getBranches())) {
    auto inside = frames.inside();
    Value takes =
        integers.apply(Fn::equal, chosen, integers.constant(static_cast<int64_t>(number)));
    Integers::Places takers = integers.where(takes, at->count);
    const Frame* part = frames.make(at, takers.count, takers.places);
    order.push_back(takers.places);
    FlatValues& own = given.emplace_back();
    for (const FlatValue& yield : convert_block(branch.front(), captures, part))
      if (auto* list = std::get_if<FlatList>(&yield))
        own.push_back(frames.bring(*list, part));
      else
        own.push_back(FlatTensor{part, frames.each(std::get<FlatTensor>(yield), part)});
  }
  Value all = language::concat(b, order, 0);
  Value place = integers.put(integers.fill(at->count, 0), integers.iota(ir::shape_of(all)[0]), all);
  FlatValues results;
  for (size_t number = 0; number < given[0].size(); ++number) {
    if (std::holds_alternative<FlatTensor>(given[0][number])) {
      Values rows;
      for (const FlatValues& own : given)
        rows.push_back(std::get<FlatTensor>(own[number]).value);
      results.push_back(FlatTensor{at, integers.take(language::concat(b, rows, 0), place)});
      continue;
    }
    // Under one level more, which nothing reads, instances are numbered as elements are.
    auto below = [](FlatList list) {
      list.levels.insert(list.levels.begin(), nullptr);
      return list;
    };
    FlatList lists = below(std::get<FlatList>(given[0][number]));
    for (const FlatValues& own : llvm::ArrayRef(given).drop_front())
      lists = frames.both_of(lists, below(std::get<FlatList>(own[number])));
    lists.levels.erase(lists.levels.begin());
    results.push_back(frames.bring(lists, at, place));
  }
  return results;
}

void Conversion::convert_op(ir::CondOp op, const Frame* frame, Environment& values) {
  FlatValues operands = get(op->getOperands(), values);
  const Frame* at = frame_of_control(op, operands, frame);
  const auto& selector = std::get<FlatTensor>(operands[0]);
  FlatValues captures = slice(operands, 1, operands.size() - 1);
  set_all(op.getResults(),
          selector.frame->is_single ? take_one_branch(op, selector.value, captures, at)
                                    : take_branches(op, frames.each(selector, at), captures, at),
          values);
}

} // namespace kolam::transform::lists
