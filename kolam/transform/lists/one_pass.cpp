// kolam.list_scan of many lists as one pass over the elements of all, which starts anew where a
// list begins.
#include "kolam/transform/lists/convert.h"
#include "kolam/transform/lists/host_calls.h"

#include "kolam/ir/pointwise.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/control.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/region.h"
#include "kolam/language/reshape.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace kolam::transform::lists {
namespace {

/// What of a body stands in the loop over elements, and what it reads from outside.
struct Steps {
  llvm::SmallSetVector<mlir::Operation*, 8> ops; ///< those that need states
  llvm::SmallSetVector<Value, 8> read;
};

Steps steps_of(mlir::Block& body, size_t states) {
  Steps steps;
  llvm::DenseSet<Value> carried;
  for (Value state : body.getArguments().take_front(states))
    carried.insert(state);
  auto is_carried = [&](Value value) { return carried.contains(value); };
  auto read_of = [&](mlir::Operation& op) {
    for (Value operand : op.getOperands())
      if (!is_carried(operand))
        steps.read.insert(operand);
  };
  for (mlir::Operation& op : body.without_terminator())
    if (llvm::any_of(op.getOperands(), is_carried)) {
      steps.ops.insert(&op);
      read_of(op);
      for (Value result : op.getResults())
        carried.insert(result);
    }
  read_of(*body.getTerminator());
  return steps;
}

bool is_list(const FlatValue& value) { return std::holds_alternative<FlatList>(value); }

/// `condition`, one for each row, as wide as rows of `like`.
Value choose_rows(Builder& b, Value condition, Value x, Value y) {
  language::Axes behind;
  for (int64_t dim = 1; dim < ir::rank_of(x); ++dim)
    behind.push_back(dim);
  if (!behind.empty())
    condition =
        language::broadcast_to(b, language::expand_dims(b, condition, behind), ir::shape_of(x));
  return language::elementwise(b, Fn::where, {condition, x, y});
}

} // namespace

/// What a list's scan is made of, in the frame of its elements.
struct Conversion::OnePass {
  const Level& level;
  const Frame* frame;    ///< of the lists
  const Frame* elements; ///< of their elements
  const Steps& steps;
  bool is_reverse;
};

/// The first or the last element of each list that has some; of others a place behind all elements.
struct Conversion::Edge {
  Value has_some, place;
};

Conversion::Edge Conversion::edge_of(const OnePass& pass, bool is_end) {
  Value lengths = pass.level.lengths, place = frames.starts_of(pass.level);
  if (is_end)
    place = integers.subtract(integers.add(place, lengths), integers.constant(1));
  Value has_some = integers.apply(Fn::greater, lengths, integers.constant(0));
  Value outside = integers.extent(pass.level.count);
  return {has_some, language::elementwise(b, Fn::where, {has_some, place, outside})};
}

/// Whether an element is the first of its list, in the order of steps: bool [elements].
Value Conversion::first_elements(const OnePass& pass) {
  return integers.marks(edge_of(pass, pass.is_reverse).place, pass.level.count);
}

/// The state of each list after its last step, of those that all elements leave.
Value Conversion::last_states(const OnePass& pass, Value states, const FlatTensor& init) {
  auto [has_some, last] = edge_of(pass, !pass.is_reverse);
  Shape row = ir::shape_of(states);
  row[0] = Extent(1);
  Value zero = language::weak_constant(b, int64_t{0}, ir::dtype_of(states));
  Value padded = language::concat(b, {states, language::broadcast_to(b, zero, row)}, 0);
  return choose_rows(b, has_some, integers.take(padded, last), frames.each(init, pass.frame));
}

/// The loop over all elements: the states that each leaves.
Values Conversion::states_of_elements(ir::ListScanOp op, const OnePass& pass,
                                      const FlatValues& inits, const Environment& known) {
  mlir::Block& body = op.getBody().front();
  const size_t states = inits.size();
  const Steps& steps = pass.steps;
  Values xs{first_elements(pass)};
  llvm::DenseMap<Value, size_t> x_of; // numbers of what differs between elements
  auto add_x = [&](const FlatTensor& tensor) {
    Value x = frames.each(tensor, pass.elements);
    Shape shape = ir::shape_of(x);
    shape[0] = pass.level.count; // which other lists of these lengths may have under another name
    xs.push_back(language::with_shape(b, x, shape));
    return xs.size() - 1;
  };
  for (Value value : steps.read)
    if (FlatTensor tensor = this->tensor(value, known); !tensor.frame->is_single)
      x_of[value] = add_x(tensor);
  std::vector<std::optional<size_t>> x_of_init;
  for (const FlatValue& init : inits) {
    const auto& tensor = std::get<FlatTensor>(init);
    x_of_init.push_back(tensor.frame->is_single ? std::nullopt : std::optional(add_x(tensor)));
  }

  llvm::SmallVector<mlir::Type> types;
  Values zeros;
  for (Value state : body.getArguments().take_front(states)) {
    types.push_back(state.getType());
    zeros.push_back(language::broadcast_to(
        b, language::weak_constant(b, int64_t{0}, ir::dtype_of(state)), ir::shape_of(state)));
  }
  for (Value x : xs)
    types.push_back(language::slice_type(b, x));
  language::Body made = language::make_body(b, types, [&](const Values& arguments) {
    auto x_at = [&](size_t number) { return arguments[states + number]; };
    mlir::IRMapping mapping;
    for (Value value : steps.read) {
      auto found = x_of.find(value);
      Value own = found != x_of.end() ? x_at(found->second) : tensor(value, known).value;
      mapping.map(value, language::with_shape(b, own, ir::shape_of(value)));
    }
    for (size_t state = 0; state < states; ++state) {
      Value own = body.getArgument(static_cast<unsigned>(state));
      Value init =
          x_of_init[state] ? x_at(*x_of_init[state]) : std::get<FlatTensor>(inits[state]).value;
      init = language::with_shape(b, init, ir::shape_of(own));
      Value is_first = language::broadcast_to(b, x_at(0), ir::shape_of(own));
      mapping.map(own, language::elementwise(b, Fn::where, {is_first, init, arguments[state]}));
    }
    for (mlir::Operation* inner : steps.ops)
      b.clone(*inner, mapping);
    Values next;
    for (auto [number, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
      Shape shape = ir::shape_of(body.getArgument(static_cast<unsigned>(number)));
      next.push_back(language::with_shape(b, mapping.lookupOrDefault(value), shape));
    }
    Values both = next; // carried, and given
    both.insert(both.end(), next.begin(), next.end());
    return both;
  });
  Values results =
      language::scan(b, zeros, xs, pass.level.count,
                     op.getReverse() ? language::Direction::reverse : language::Direction::forward,
                     std::move(made));
  auto scan = results[0].getDefiningOp();
  if (std::string why_not = ir::pointwise(scan).why_not; !why_not.empty())
    throw Refusal{why_not};
  return Values(results.begin() + static_cast<int64_t>(states), results.end());
}

bool Conversion::try_one_pass(ir::ListScanOp op, std::vector<FlatList> lists,
                              const FlatValues& inits, const FlatValues& captures,
                              const Frame* frame, Environment& values) {
  mlir::Block& body = op.getBody().front();
  const size_t states = inits.size();
  const Steps steps = steps_of(body, states);
  if (!order.empty() || frame->is_single || llvm::any_of(inits, is_list) || calls_host(op) ||
      llvm::any_of(steps.ops, holds_lists))
    return false;
  Attempt attempt(*this);
  try {
    lists = brought(std::move(lists), frame);
    const Frame* elements = frames.elements_frame(lists[0]);
    OnePass pass{*lists[0].levels[0], frame, elements, steps, op.getReverse()};
    // What needs no state is computed in front, for all elements at once.
    Environment known;
    size_t number = states;
    for (const FlatList& list : lists)
      known.try_emplace(body.getArgument(static_cast<unsigned>(number++)),
                        frames.elements(list, elements));
    for (const FlatValue& capture : captures)
      known.try_emplace(body.getArgument(static_cast<unsigned>(number++)), capture);
    for (mlir::Operation& inner : body.without_terminator())
      if (!steps.ops.contains(&inner))
        convert(&inner, elements, known);
    if (llvm::any_of(steps.read, [&](Value value) { return is_list(known.find(value)->second); }))
      throw Refusal{"its steps read lists"};
    Values all = states_of_elements(op, pass, inits, known);
    for (size_t state = 0; state < states; ++state) {
      if (Value last = op.getResult(state); !last.use_empty())
        values.insert_or_assign(
            last,
            FlatTensor{frame, last_states(pass, all[state], std::get<FlatTensor>(inits[state]))});
      values.insert_or_assign(
          op.getResult(states + state),
          frames.list_of(lists[0].levels[0], frame, FlatTensor{elements, all[state]}, elements));
    }
  } catch (const Refusal&) {
    attempt.undo();
    return false;
  }
  note(op, "one pass over the elements of all lists, which starts anew where a list begins");
  return true;
}

} // namespace kolam::transform::lists
