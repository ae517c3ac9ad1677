// Threads an error through a program in place of its checks.
#include "kolam/transform/checkify.h"

#include "kolam/ir/location.h"
#include "kolam/ir/op_name.h"
#include "kolam/ir/visit.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/control.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/lists.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/region.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"
#include "kolam/language/user_check.h"
#include "kolam/transform/at_line.h"
#include "kolam/transform/batch.h"
#include "kolam/transform/checks.h"
#include "kolam/transform/kernels.h"

#include "llvm/ADT/DenseMap.h"

#include <limits>
#include <numeric>

namespace kolam::transform {
namespace {

using language::Axes;
using language::Builder;
using language::Value;
using language::Values;

/// A walk over a body that gives its error beside what it yields. An error is null where nothing
/// can fail.
class Walk {
public:
  Walk(Builder& builder, const Caught& caught, const NewSymbol& new_symbol)
      : b(builder), caught_(caught), new_symbol_(new_symbol) {}

  /// Kernels with something to be caught become ops on arrays.
  void put_kernels_on_arrays(mlir::Region& body);
  /// Numbers the checks of a body in program order.
  void number(mlir::Region& body) { number_block(body.front(), 0); }
  std::vector<CaughtCheck> take_checks() { return std::move(checks_); }
  size_t places() const { return places_; }

  struct Given {
    Values results;
    Value error;
  };
  /// The ops of a region on `arguments`.
  Given region(mlir::Region& region, mlir::ValueRange arguments) {
    mlir::Block& block = region.front();
    for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments))
      values_[argument] = value;
    Value error;
    for (mlir::Operation& op : block.without_terminator()) {
      AtLine line(b, op.getLoc());
      error = first(error, make(&op));
    }
    return {of(block.getTerminator()->getOperands()), error};
  }
  Value none() {
    return language::full(b, {Extent(width())}, language::weak_constant(b, int64_t{0}, DType::i64));
  }
  Value or_none(Value error) { return error ? error : none(); }

  /// The rules: each makes the op and gives its error.
  Value rule(ir::CheckOp op) { return of_check(op, of(op.getCondition()), {}); }
  Value rule(ir::CompositeOp op);
  Value rule(ir::CondOp op);
  Value rule(ir::ForOp op);
  Value rule(ir::ScanOp op);
  Value rule(ir::WhileOp op);
  Value rule(ir::ListMapOp op);
  Value rule(ir::ListReduceOp op);
  Value rule(ir::ListScanOp op);

private:
  int64_t width() const { return static_cast<int64_t>(1 + places_ + most_values_); }

  bool is_caught(mlir::Operation* op) const {
    if (auto check = llvm::dyn_cast<ir::CheckOp>(op))
      return caught_.has(check.getSlug());
    return language::user_check_of(op) && caught_.user;
  }
  bool holds_checks(mlir::Operation* op) const {
    return op
        ->walk([&](mlir::Operation* inner) {
          return is_caught(inner) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
        })
        .wasInterrupted();
  }
  bool holds_checks(mlir::Region& region) const {
    return llvm::any_of(region.front(), [&](mlir::Operation& op) { return holds_checks(&op); });
  }

  void number_block(mlir::Block& block, size_t path);
  void add(mlir::Operation* op, CaughtCheck check, const Values& values);

  Value make(mlir::Operation* op);
  Value of_check(mlir::Operation* op, Value condition, const Values& values);

  Value of(Value value) const {
    auto found = values_.find(value);
    return found == values_.end() ? value : found->second;
  }
  Values of(mlir::ValueRange values) const {
    Values found;
    for (Value value : values)
      found.push_back(of(value));
    return found;
  }
  void set(mlir::ValueRange results, mlir::ValueRange made) {
    for (auto [result, value] : llvm::zip(results, made))
      values_[result] = value;
  }

  Value scalar(int64_t value) { return language::weak_constant(b, value, DType::i64); }
  Value apply(Fn fn, const Values& values) { return language::elementwise(b, fn, values); }
  Value code_of(Value error) {
    return language::squeeze(b, language::slice_dim(b, error, 0, Extent(0), Extent(1)), Axes{0});
  }
  Value has_failed(Value error) { return apply(Fn::not_equal, {code_of(error), scalar(0)}); }
  /// The earlier error; the later one where there is none.
  Value first(Value earlier, Value later) {
    if (!earlier || !later)
      return earlier ? earlier : later;
    return apply(Fn::where, {has_failed(earlier), earlier, later});
  }
  /// The error of all elements of a list, its place with the element's number at `depth`: where
  /// they come at once the first in program order, of the lowest element; else that of the first
  /// or the last element that has one.
  enum class Order : uint8_t { at_once, forward, reverse };
  Value of_elements(Value errors, size_t depth, Order order, int64_t first_number = 0);
  language::Body combining_body(mlir::Region& body, const Values& inits, const Values& lists,
                                mlir::ValueRange captures);
  /// A list of no errors, one for each element.
  Value none_of_elements(Value list);

  Builder& b;
  const Caught& caught_;
  const NewSymbol& new_symbol_;
  llvm::DenseMap<Value, Value> values_;
  llvm::DenseMap<mlir::Operation*, int64_t> codes_;
  std::vector<CaughtCheck> checks_;
  size_t places_ = 0, most_values_ = 0;
  size_t depth_ = 0; ///< of lists around the op that is being made
};

[[noreturn]] void refuse(mlir::Operation* op, const std::string& why) {
  throw Error(ErrorKind::value, "not-checkified",
              "expected checks in array functions, loops, branches and maps and scans of "
              "lists, but got one " +
                  why,
              ir::to_source_location(op->getLoc()));
}

void Walk::add(mlir::Operation* op, CaughtCheck check, const Values& values) {
  for (Value value : values)
    check.values.push_back(ir::dtype_of(value));
  places_ = std::max(places_, check.path + check.rank);
  most_values_ = std::max(most_values_, check.values.size());
  check.where = ir::to_source_location(op->getLoc());
  checks_.push_back(std::move(check));
  codes_[op] = static_cast<int64_t>(checks_.size());
}

void Walk::put_kernels_on_arrays(mlir::Region& body) {
  llvm::SmallVector<ir::KernelCallOp> calls;
  body.walk([&](ir::KernelCallOp call) {
    if (caught_.checks.any() || holds_checks(call))
      calls.push_back(call);
  });
  for (ir::KernelCallOp call : calls) {
    Builder at(call.getLoc(), call);
    call.setChecks(call.getChecks() || caught_.checks.bounds);
    Values operands(call->operand_begin(), call->operand_end());
    call->replaceAllUsesWith(kernel_on_arrays(at, call, operands));
    call->erase();
  }
}

void Walk::number_block(mlir::Block& block, size_t path) {
  for (mlir::Operation& op : block) {
    if (auto check = language::user_check_of(&op)) {
      if (is_caught(&op))
        add(&op,
            {std::string(language::kCheckFailed),
             check->message,
             {},
             path,
             static_cast<size_t>(ir::rank_of(check->condition)),
             {}},
            check->values);
      continue;
    }
    if (auto check = llvm::dyn_cast<ir::CheckOp>(op); check && is_caught(&op))
      add(&op,
          {check.getSlug().str(),
           check.getMessage().str(),
           {},
           path,
           static_cast<size_t>(ir::rank_of(check.getCondition())),
           {}},
          {});
    auto scan = llvm::dyn_cast<ir::ListScanOp>(op);
    const bool combines = llvm::isa<ir::ListReduceOp>(op) || (scan && scan.getAssociative());
    const bool is_of_lists = ir::facts_of(&op).bodies == ir::Bodies::of_lists && !combines;
    for (mlir::Region& region : op.getRegions())
      if (!region.empty())
        number_block(region.front(), path + is_of_lists);
  }
}

Value Walk::make(mlir::Operation* op) {
  if (!holds_checks(op)) {
    mlir::Operation* copied = b.insert(op->clone());
    copied->setOperands(of(op->getOperands()));
    set(op->getResults(), copied->getResults());
    return {};
  }
  auto without_rule = [](mlir::Operation* other) -> Value {
    refuse(other, "in " + ir::user_name(other));
  };
  return ir::visit<Value>(
      op,
      [&](auto typed) -> Value {
        if constexpr (requires { rule(typed); })
          return rule(typed);
        else
          return without_rule(typed);
      },
      without_rule);
}

/// An element as it lies in an error.
Value as_bits(Builder& b, Value value) {
  if (!is_float(ir::dtype_of(value)))
    return language::cast(b, value, DType::i64);
  return language::bitcast(b, language::cast(b, value, DType::f64), DType::i64);
}

Value Walk::of_check(mlir::Operation* op, Value condition, const Values& values) {
  language::LocationNote of_check(b, std::string(language::kOfCheck));
  const Shape shape = ir::shape_of(condition);
  Axes dims(shape.size());
  std::iota(dims.begin(), dims.end(), 0);
  constexpr int64_t kNone = std::numeric_limits<int64_t>::max(); // meaning: holds everywhere
  // The row-major number of each element, of those that fail.
  Value number = scalar(0);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    Value index = language::iota(b, shape, static_cast<int64_t>(dim), DType::i64);
    number = apply(Fn::add,
                   {apply(Fn::multiply, {number, language::extent_value(b, shape[dim])}), index});
  }
  Value lowest = apply(Fn::where, {condition, scalar(kNone), number});
  if (!dims.empty())
    lowest = language::combine(b, lowest, Fn::minimum, dims);
  Value fails = apply(Fn::not_equal, {lowest, scalar(kNone)});
  Values slots{scalar(codes_.lookup(op))};
  const CaughtCheck& check = checks_[static_cast<size_t>(codes_.lookup(op)) - 1];
  for (size_t level = 0; level < check.path; ++level)
    slots.push_back(scalar(0)); // of_elements sets it
  Values index(shape.size());
  Value rest = lowest;
  for (size_t dim = shape.size(); dim-- > 0;) {
    Value extent = language::extent_value(b, shape[dim]);
    index[dim] = apply(Fn::remainder, {rest, extent});
    rest = apply(Fn::floor_divide, {rest, extent});
  }
  llvm::append_range(slots, index);
  slots.resize(1 + places_, scalar(0));
  for (Value value : values) {
    Value bits = as_bits(b, value);
    if (!dims.empty())
      bits = language::combine(
          b, apply(Fn::where, {apply(Fn::equal, {number, lowest}), bits, scalar(0)}), Fn::add,
          dims);
    slots.push_back(bits);
  }
  slots.resize(static_cast<size_t>(width()), scalar(0));
  return apply(Fn::where, {fails, language::stack(b, slots, 0), scalar(0)});
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
      made.getRules()[number].takeBody(rule); // cotangents: its checks stop the derivative
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

Value Walk::of_elements(Value errors, size_t depth, Order order, int64_t first_number) {
  Value all = language::unpack(b, errors, {new_symbol_()})[0]; // [n, width]
  const Shape shape = ir::shape_of(all);
  constexpr int64_t kNone = std::numeric_limits<int64_t>::max(); // meaning: no error
  Value codes = language::squeeze(b, language::slice_dim(b, all, 1, Extent(0), Extent(1)), Axes{1});
  Value candidate = apply(Fn::not_equal, {codes, scalar(0)});
  if (order == Order::at_once) {
    Value lowest = language::combine(b, apply(Fn::where, {candidate, codes, scalar(kNone)}),
                                     Fn::minimum, Axes{0});
    candidate = apply(Fn::equal, {codes, lowest});
  }
  Value element = language::iota(b, {shape[0]}, 0, DType::i64);
  const bool is_last = order == Order::reverse;
  Value at =
      language::combine(b, apply(Fn::where, {candidate, element, scalar(is_last ? -1 : kNone)}),
                        is_last ? Fn::maximum : Fn::minimum, Axes{0});
  Value is_it = language::expand_dims(b, apply(Fn::equal, {element, at}), {1});
  Value error = language::combine(b, apply(Fn::where, {is_it, all, scalar(0)}), Fn::add, Axes{0});
  // Its slot for the number of the element.
  Value slot = language::iota(b, {Extent(width())}, 0, DType::i64);
  Value is_slot =
      apply(Fn::logical_and,
            {apply(Fn::equal, {slot, scalar(static_cast<int64_t>(1 + depth))}), has_failed(error)});
  return apply(Fn::where, {is_slot, apply(Fn::add, {at, scalar(first_number)}), error});
}

Value Walk::rule(ir::ListMapOp op) {
  Values lists = of(op.getLists());
  llvm::SmallVector<mlir::Type> types;
  for (Value list : lists)
    types.push_back(language::element_type(list));
  const size_t depth = depth_++;
  language::Body body = language::make_body(b, types, [&](const Values& arguments) {
    Values given = arguments;
    llvm::append_range(given, of(op.getCaptures()));
    Given turn = region(op.getBody(), given);
    turn.results.push_back(or_none(turn.error));
    return turn.results;
  });
  --depth_;
  Values made = language::list_map(b, lists, std::move(body));
  set(op.getResults(), made);
  return of_elements(made.back(), depth, Order::at_once);
}

/// A body that combines states: their errors are combined as they are.
language::Body Walk::combining_body(mlir::Region& body, const Values& inits, const Values& lists,
                                    mlir::ValueRange captures) {
  const size_t states = inits.empty() ? lists.size() : inits.size();
  llvm::SmallVector<mlir::Type> types;
  for (Value init : inits)
    types.push_back(init.getType());
  for (size_t part = inits.empty() ? 0 : 1; part < 2; ++part)
    for (Value list : lists)
      types.push_back(language::element_type(list));
  return language::make_body(b, types, [&](const Values& arguments) {
    Value earlier = arguments[states - 1], later = arguments.back();
    Values given(arguments.begin(), arguments.end() - 1);
    given.erase(given.begin() + static_cast<int64_t>(states) - 1);
    llvm::append_range(given, of(captures));
    Given turn = region(body, given);
    turn.results.push_back(or_none(first(first(earlier, later), turn.error)));
    return turn.results;
  });
}

Value Walk::none_of_elements(Value list) {
  language::Body body = language::make_body(b, {language::element_type(list)},
                                            [&](const Values&) { return Values{none()}; });
  return language::list_map(b, {list}, std::move(body))[0];
}

Value Walk::rule(ir::ListReduceOp op) {
  Values inits = of(op.getInits()), lists = of(op.getLists());
  if (!inits.empty())
    inits.push_back(none());
  lists.push_back(none_of_elements(lists[0]));
  language::Body body = combining_body(op.getBody(), {}, lists, op.getCaptures());
  Values made = language::list_reduce(b, inits, lists, std::move(body));
  set(op.getResults(), made);
  return made.back();
}

/// The error of a step is a state that no step reads, so that steps depend on no other than before;
/// of an associative scan it is one of those that are combined.
Value Walk::rule(ir::ListScanOp op) {
  const size_t states = op.getInits().size();
  Values inits = of(op.getInits()), lists = of(op.getLists());
  language::ListScan options{op.getReverse() ? language::Direction::reverse
                                             : language::Direction::forward,
                             op.getAssociative(), op.getAfterFirst(), op.getIsReduce()};
  // Last states, then their lists.
  auto without_errors = [&](Values made) {
    made.pop_back();
    made.erase(made.begin() + static_cast<int64_t>(states));
    return made;
  };
  inits.push_back(none());
  if (op.getAssociative()) {
    lists.push_back(none_of_elements(lists[0]));
    language::Body body = combining_body(op.getBody(), inits, lists, op.getCaptures());
    Values made = language::list_scan(b, inits, lists, options, std::move(body));
    set(op.getResults(), without_errors(made));
    return made[states];
  }
  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(inits).getTypes());
  for (Value list : lists)
    types.push_back(language::element_type(list));
  const size_t depth = depth_++;
  language::Body body = language::make_body(b, types, [&](const Values& arguments) {
    Values given = arguments;
    given.erase(given.begin() + static_cast<int64_t>(states));
    llvm::append_range(given, of(op.getCaptures()));
    Given turn = region(op.getBody(), given);
    turn.results.push_back(or_none(turn.error));
    return turn.results;
  });
  --depth_;
  Values made = language::list_scan(b, inits, lists, options, std::move(body));
  set(op.getResults(), without_errors(made));
  const bool lacks_first = op.getAfterFirst() && !op.getReverse();
  return of_elements(made.back(), depth, op.getReverse() ? Order::reverse : Order::forward,
                     lacks_first ? 1 : 0);
}

} // namespace

bool Caught::has(std::string_view slug) const {
  const bool of_user = slug == language::kCheckFailed || slug == "debug-check";
  const bool of_bounds =
      slug == "index-out-of-range" || slug == "indices-not-unique" || slug == "block-outside";
  return (user && of_user) || (checks.bounds && of_bounds) ||
         (checks.nan && slug == "nan-created") || (checks.overflow && slug == "integer-overflow");
}

Checkified checkify(Builder& b, mlir::Region& body, mlir::ValueRange arguments,
                    const Caught& caught, const NewSymbol& new_symbol) {
  Walk walk(b, caught, new_symbol);
  walk.put_kernels_on_arrays(body);
  llvm::SmallVector<mlir::Operation*> ops;
  for (mlir::Operation& op : body.front().without_terminator())
    ops.push_back(&op);
  insert_checks(ops, caught.checks);
  walk.number(body);
  Walk::Given given = walk.region(body, arguments);
  Checkified made{std::move(given.results), walk.or_none(given.error), {}, walk.places()};
  made.checks = walk.take_checks();
  return made;
}

} // namespace kolam::transform
