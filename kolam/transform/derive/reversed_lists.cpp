// The transpose of linear loops over lists: a loop from their end over lists of cotangents.
#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/lists.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/region.h"
#include "kolam/language/reverse.h"
#include "kolam/transform/derive/list_loop.h"
#include "kolam/transform/derive/one_op.h"
#include "kolam/transform/derive/placing.h"
#include "kolam/transform/derive/rules.h"

namespace kolam::transform::derive {
namespace {

/// The numbers of a linear loop's captures that are lists and linear, with the primal list of each,
/// which is a capture behind all others.
std::vector<std::pair<size_t, Value>> templates_of(const ListLoop& loop, const Transposition& at) {
  std::vector<std::pair<size_t, Value>> found;
  auto attribute = loop.op->getAttrOfType<mlir::IntegerAttr>("templates");
  const size_t count = attribute ? static_cast<size_t>(attribute.getInt()) : 0;
  size_t next = loop.captures.size() - count;
  for (auto [number, capture] : llvm::enumerate(loop.captures))
    if (llvm::isa<ir::ListType>(capture.getType()) && at.is_linear(capture))
      found.push_back({number, at.coefficient(loop.captures[next++])});
  return found;
}

/// The number that an attribute of a linear loop has for a state that is a list.
std::optional<size_t> number_of(const ListLoop& loop, llvm::StringRef name, size_t state) {
  auto numbers = loop.op->getAttrOfType<mlir::DenseI64ArrayAttr>(name);
  if (!numbers || numbers[state] < 0)
    return std::nullopt;
  return static_cast<size_t>(numbers[state]);
}

/// A window of zeros to which something is added, as a scatter: those of all elements are one.
Value window_in_zeros(Builder& b, mlir::Type type, const Transposition::Contribution& window) {
  const Shape whole = ir::shape_of(type), shape = ir::shape_of(window.value);
  language::ScatterSpec spec{
      .dims = {}, .combiner = "kAdd", .mode = "clip", .fits_where_any = true};
  Values starts;
  for (size_t dim = 0; dim < whole.size(); ++dim)
    if (shape[dim] != whole[dim]) {
      spec.dims.push_back(static_cast<int64_t>(dim));
      starts.push_back(language::cast(b, (*window.starts)[dim], DType::i64));
    }
  if (starts.empty())
    return window.value;
  return sum_at(b, window.value, type, language::stack(b, starts, 0), spec);
}

void transpose_loop(const ListLoop& loop, Transposition& at) {
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
  // States that no step reads have the cotangents of each step alone, unless the last one has one.
  std::vector<std::optional<size_t>> state_places(states);
  for (size_t number = 0; number < states; ++number) {
    Value last = loop.op->getResult(static_cast<unsigned>(number));
    if (!at.has_cotangent(last) && !is_read(argument_of(number)))
      continue;
    state_places[number] = inits.size();
    auto like = number_of(loop, "last", number);
    inits.push_back(at.has_cotangent(last) ? at.cotangent(last)
                    : like                 ? zeros_like(b, at.coefficient(loop.captures[*like]))
                                           : anything(b, last.getType()));
  }
  const size_t kept_states = inits.size();
  auto templates = templates_of(loop, at);
  std::vector<size_t> captured, carried; // tensors; lists, whose sums are carried
  for (auto [number, capture] : llvm::enumerate(loop.captures))
    if (at.is_linear(capture) && !llvm::isa<ir::ListType>(capture.getType()))
      captured.push_back(number);
  for (auto& [number, primal] : templates) {
    carried.push_back(number);
    const DType dtype = dtype_of_leaves(primal.getType());
    inits.push_back(at_dtype(b, zeros_like(b, primal), language::wide_dtype(dtype)));
  }
  std::vector<size_t> given_elements; // whose cotangents the loop gives
  std::vector<std::vector<OneOp>> one_ops(captured.size());
  std::vector<bool> is_summed(captured.size()); // contributions that are no such op

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
      if (number < states && state_places[number])
        inner.add(yielded[number], arguments[*state_places[number]]);
      if (y_places[number])
        inner.add(yielded[number], arguments[inits.size() + *y_places[number]]);
    }
    transpose_block(loop.body.front(), inner);
    Values results;
    for (size_t number = 0; number < states; ++number) {
      if (!state_places[number])
        continue;
      Value found = inner.cotangent(argument_of(number)), like = arguments[*state_places[number]];
      if (auto before = number_of(loop, "before", number))
        like = inner.coefficient(argument_of(states + *before));
      results.push_back(found ? found : zeros_like(b, like));
    }
    for (auto [place, number] : llvm::enumerate(carried)) {
      Value argument = argument_of(states + elements + number),
            before = arguments[kept_states + place];
      Transposition sum(b, at.new_symbol);
      sum.set_linear(argument);
      sum.add(argument, before);
      sum.add(argument, inner.sum(argument));
      results.push_back(sum.sum(argument));
    }
    for (size_t number = 0; number < elements; ++number)
      if (!x_places[number])
        if (Value found = inner.cotangent(argument_of(states + number))) {
          given_elements.push_back(number);
          results.push_back(found);
        }
    for (auto [number, capture] : llvm::enumerate(captured)) {
      Value argument = argument_of(states + elements + capture);
      Value sum;
      for (const auto& contribution : inner.contributions(argument)) {
        Value given = contribution.starts ? window_in_zeros(b, argument.getType(), contribution)
                                          : contribution.value;
        if (auto one = as_one_op(given, *block, true)) {
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
        sum = whole.sum(argument);
      }
      is_summed[number] = sum != nullptr;
      if (sum)
        results.push_back(sum);
    }
    return results;
  };
  const bool is_reverse = !loop.is_reverse;
  language::ListScan options;
  options.direction = is_reverse ? language::Direction::reverse : language::Direction::forward;
  ListResults given = run_over_lists(b, inits, lists, options, make);

  if (given.last.empty() && given.stepwise.empty())
    return; // nothing depends on what is linear
  const ListLoop reversed = ListLoop::of(given.op());
  // All steps of a list, the last first; those of one op have one extent.
  auto stacked = [&](Value list, std::optional<Extent>& count) {
    Value leaves = unpacked(b, list, at.new_symbol)[0];
    Shape shape = ir::shape_of(leaves);
    count = count.value_or(shape[0]);
    shape[0] = *count;
    leaves = language::with_shape(b, leaves, shape);
    return is_reverse ? language::flip(b, leaves, language::Axes{0}) : leaves;
  };
  size_t next = inits.size();
  std::vector<std::pair<size_t, Value>> x_cotangents;
  for (size_t number : given_elements)
    x_cotangents.push_back({number, given.stepwise[next++]});
  std::vector<Values> sums(captured.size());
  for (size_t number = 0; number < captured.size(); ++number) {
    for (const OneOp& one : one_ops[number]) {
      Values operands;
      std::optional<Extent> count;
      for (auto [changing, operand] : llvm::zip(one.changing, factors_of(one.core)))
        operands.push_back(changing ? stacked(given.stepwise[next++], count)
                                    : outside(reversed.body.front(), reversed.captures, operand));
      StepSum sum = over_steps(b, one, operands);
      sums[number].push_back(finished(b, sum, sum.value));
    }
    std::optional<Extent> count;
    if (is_summed[number]) {
      Value parts = stacked(given.stepwise[next++], count);
      const DType wide = language::wide_dtype(ir::dtype_of(parts));
      sums[number].push_back(language::combine(b, language::cast(b, parts, wide), Fn::add, {0}));
    }
  }
  for (size_t number = carried.size(); number-- > 0;)
    at.add(loop.captures[carried[number]], given.last[kept_states + number]);
  for (size_t number = captured.size(); number-- > 0;)
    for (Value sum : sums[number])
      at.add(loop.captures[captured[number]], sum);
  for (auto& [number, value] : llvm::reverse(x_cotangents))
    at.add(loop.lists[number], value);
  for (size_t number = states; number-- > 0;)
    if (state_places[number])
      at.add(loop.inits[number], given.last[*state_places[number]]);
  drop_unused(reversed.body.front()); // what became one op over all elements
}

} // namespace

void transpose_rule(ir::ListMapOp op, Transposition& at) { transpose_loop(ListLoop(op), at); }
void transpose_rule(ir::ListScanOp op, Transposition& at) { transpose_loop(ListLoop(op), at); }

} // namespace kolam::transform::derive
