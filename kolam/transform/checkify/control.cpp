// Errors of composites, branches and loops.
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/language/user_check.h"
#include "kolam/transform/batch.h"
#include "kolam/transform/checkify/walk.h"

namespace kolam::transform::errors {

/// A rule for cotangents, whose checks stop the derivative, without those that were put in.
static mlir::Region& without_inserted(mlir::Region& rule) {
  rule.walk([](ir::CheckOp check) {
    if (language::note_of(check) == language::kOfCheck)
      check.erase();
  });
  return rule;
}

Value Walk::rule(ir::CompositeOp op) {
  if (auto check = language::user_check_of(op))
    return of_check(op, of(check->condition), of(mlir::ValueRange(check->values)));
  const llvm::StringRef name = op.getName();
  Values operands = of(op.getOperands());
  if (op->hasAttr("residuals") || name == kCustomVmap) {
    Given given = region(op.getBody(), operands);
    set(op.getResults(), given.results);
    return given.error;
  }
  const size_t results = op->getNumResults();
  // The error stands behind the results that a region gives.
  auto with_error = [&](mlir::Region& body) {
    return language::make_region(b, body.getArgumentTypes(), [&](const Values& arguments) {
      Given given = region(body, arguments);
      given.results.insert(given.results.begin() + static_cast<int64_t>(results),
                           or_none(given.error));
      return given.results;
    });
  };
  llvm::SmallVector<mlir::Type> types(op.getResultTypes());
  types.push_back(language::tensor_type(b, DType::i64, {Extent(width())}));
  auto made = ir::CompositeOp::create(b, types, op.getNameAttr(), operands,
                                      static_cast<unsigned>(op.getRules().size()));
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  made.getBody().takeBody(*with_error(op.getBody()));
  for (auto [number, rule] : llvm::enumerate(op.getRules())) {
    const bool gives_results = number == 0;
    if (gives_results)
      made.getRules()[number].takeBody(*with_error(rule));
    else
      made.getRules()[number].takeBody(without_inserted(rule));
  }
  set(op.getResults(), made.getResults());
  return made.getResults().back();
}

Value Walk::rule(ir::CondOp op) {
  std::vector<language::Body> branches;
  for (mlir::Region& branch : op.getBranches())
    branches.push_back(language::make_body(b, {}, [&](const Values&) {
      Given given = region(branch, of(op.getCaptures()));
      given.results.push_back(or_none(given.error));
      return given.results;
    }));
  Values made = language::cond(b, of(op.getSelector()), std::move(branches));
  set(op.getResults(), made);
  return made.back();
}

Value Walk::rule(ir::ForOp op) {
  Values inits = of(op.getInits());
  inits.push_back(none());
  llvm::SmallVector<mlir::Type> types{of(op.getLower()).getType()};
  llvm::append_range(types, mlir::ValueRange(inits).getTypes());
  language::Body body = language::make_body(b, types, [&](const Values& arguments) {
    Values given(arguments.begin(), arguments.end() - 1);
    llvm::append_range(given, of(op.getCaptures()));
    Given turn = region(op.getBody(), given);
    turn.results.push_back(first(arguments.back(), turn.error));
    return turn.results;
  });
  Values made = language::for_loop(b, of(op.getLower()), of(op.getUpper()), inits, std::move(body));
  set(op.getResults(), made);
  return made.back();
}

Value Walk::rule(ir::ScanOp op) {
  const auto states = static_cast<int64_t>(op.getInits().size());
  Values inits = of(op.getInits()), xs = of(op.getXs());
  inits.push_back(none());
  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(inits).getTypes());
  for (Value x : xs)
    types.push_back(language::slice_type(b, x));
  language::Body body = language::make_body(b, types, [&](const Values& arguments) {
    Values given = arguments;
    Value error = given[static_cast<size_t>(states)];
    given.erase(given.begin() + states);
    llvm::append_range(given, of(op.getCaptures()));
    Given turn = region(op.getBody(), given);
    turn.results.insert(turn.results.begin() + states, first(error, turn.error));
    return turn.results;
  });
  auto direction = op.getReverse() ? language::Direction::reverse : language::Direction::forward;
  Values made = language::scan(b, inits, xs, op.getLength().shape()[0], direction, std::move(body));
  Value error = made[static_cast<size_t>(states)];
  made.erase(made.begin() + states);
  set(op.getResults(), made);
  return error;
}

/// A condition that may fail is asked where errors can leave it: before the first turn, and behind
/// every one.
Value Walk::rule(ir::WhileOp op) {
  const bool asks_apart = holds_checks(op.getCondition());
  const size_t states = op.getInits().size();
  Values captures = of(op.getCaptures()), carried = of(op.getInits());
  auto ask = [&](mlir::ValueRange state) {
    Values given(state.begin(), state.end());
    llvm::append_range(given, captures);
    return region(op.getCondition(), given);
  };
  if (asks_apart) {
    op.getCondition().walk([&](mlir::Operation* inner) {
      if (ir::facts_of(inner).effect == ir::Effect::symbol || llvm::isa<ir::UnpackOp>(inner))
        refuse(op, "in the condition of a loop that gives a symbol its size");
    });
    Given before = ask(carried);
    carried.push_back(before.results[0]);
    carried.push_back(or_none(before.error));
  } else {
    carried.push_back(none());
  }
  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(carried).getTypes());
  auto own = [&](const Values& all) { return mlir::ValueRange(all).take_front(states); };
  language::Body condition = language::make_body(b, types, [&](const Values& state) {
    return asks_apart ? Values{state[states]} : Values{ask(own(state)).results[0]};
  });
  language::Body body = language::make_body(b, types, [&](const Values& state) {
    Values given(state.begin(), state.begin() + static_cast<int64_t>(states));
    llvm::append_range(given, captures);
    Given turn = region(op.getBody(), given);
    Value error = first(state.back(), turn.error);
    if (asks_apart) {
      Given next = ask(turn.results);
      turn.results.push_back(next.results[0]);
      error = first(error, next.error);
    }
    turn.results.push_back(error);
    return turn.results;
  });
  Values made = language::while_loop(b, carried, std::move(condition), std::move(body));
  set(op.getResults(), made);
  return made.back();
}

} // namespace kolam::transform::errors
