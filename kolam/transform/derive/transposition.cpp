// Goes through a linear program from its end and makes its transpose.
#include "kolam/transform/derive/transposition.h"

#include "kolam/ir/location.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/index.h"
#include "kolam/language/lists.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/region.h"
#include "kolam/language/slice.h"
#include "kolam/transform/derive/rules.h"
#include "kolam/transform/interpret.h"
#include "kolam/transform/line_marks.h"
#include "kolam/transform/lists/rename.h"

#include <set>

namespace kolam::transform {
namespace derive {
namespace {

bool is_list(Value value) { return llvm::isa<ir::ListType>(value.getType()); }

/// x + y at the dtype of x; element by element for lists.
Value sum_of(Builder& b, Value x, Value y) {
  if (!is_list(x))
    return language::elementwise(b, Fn::add, {x, language::cast(b, y, ir::dtype_of(x))});
  const llvm::SmallVector<mlir::Type> types{language::element_type(x), language::element_type(y)};
  auto region = language::make_region(b, types, [&](const Values& elements) {
    return Values{sum_of(b, elements[0], elements[1])};
  });
  return language::list_map(b, {x, y}, {std::move(region), {}})[0];
}

} // namespace

DType dtype_of_leaves(mlir::Type type) {
  if (auto list = llvm::dyn_cast<ir::ListType>(type))
    type = list.leaf();
  return ir::dtype_of(type);
}

Value at_dtype(Builder& b, Value value, DType dtype) {
  if (dtype_of_leaves(value.getType()) == dtype)
    return value;
  if (!is_list(value))
    return language::cast(b, value, dtype);
  auto region =
      language::make_region(b, {language::element_type(value)}, [&](const Values& elements) {
        return Values{at_dtype(b, elements[0], dtype)};
      });
  return language::list_map(b, {value}, {std::move(region), {}})[0];
}

void refuse_nonlinear(mlir::Operation* op, const std::string& why) {
  throw Error(ErrorKind::value, "not-linear", differentiated(op) + ": " + why,
              ir::to_source_location(op->getLoc()));
}

bool Transposition::any_linear(mlir::ValueRange values) const {
  return llvm::any_of(values, [&](Value value) { return is_linear(value); });
}

Values Transposition::coefficients(mlir::ValueRange values) const {
  Values found;
  for (Value value : values)
    found.push_back(coefficient(value));
  return found;
}

Value Transposition::sum(Value value) {
  auto found = sums_.find(value);
  if (found == sums_.end())
    return {};
  settle(value, found->second);
  return found->second.value;
}

Value Transposition::cotangent(Value value) {
  Value sum = this->sum(value);
  return sum ? at_dtype(b, sum, dtype_of_leaves(value.getType())) : sum;
}

Value Transposition::cotangent_or_zeros(Value value) {
  Value found = cotangent(value);
  return found ? found : zeros_like(b, value);
}

Values Transposition::cotangents_or_zeros(mlir::ValueRange values) {
  Values found;
  for (Value value : values)
    found.push_back(cotangent_or_zeros(value));
  return found;
}

void Transposition::add_to(Value operand, const std::function<Value(Value sum)>& make) {
  if (!is_linear(operand))
    return;
  Sum& sum = sums_[operand];
  settle(operand, sum);
  add_up(operand, sum, make);
}

void Transposition::add_up(Value operand, Sum& sum, const std::function<Value(Value sum)>& make) {
  if (sum.contributions++ > 0 && sum.value)
    sum.value = at_dtype(b, sum.value, language::wide_dtype(dtype_of_leaves(operand.getType())));
  sum.value = make(sum.value);
}

void Transposition::carry(Value operand, std::function<Value()> running,
                          std::function<bool(Value)> is_apart) {
  collect(operand);
  carried_[operand] = {std::move(running), std::move(is_apart)};
}

void Transposition::carry(Value operand, Value running) {
  collect(operand);
  carried_[operand] = {};
  sums_[operand] = {running, 1, {}};
}

void Transposition::begin(Value operand, Carried& carried) {
  if (auto running = std::exchange(carried.running, {}))
    sums_[operand] = {running(), 1, {}};
}

void Transposition::add(Value operand, Value contribution) {
  if (!contribution)
    return;
  auto carried = carried_.find(operand);
  const bool is_added = carried != carried_.end() &&
                        !(carried->second.is_apart && carried->second.is_apart(contribution));
  if (auto kept = collected_.find(operand); kept != collected_.end() && !is_added)
    return kept->second.push_back({contribution, std::nullopt});
  if (is_added)
    begin(operand, carried->second);
  add_to(operand, [&](Value sum) { return sum ? sum_of(b, sum, contribution) : contribution; });
}

/// A sum and what is added to a window of it; zeros where there is none.
static Value with_window(Builder& b, Value operand, Value sum, const Values& starts,
                         Value contribution) {
  if (!sum)
    return language::dynamic_update_slice(b, zeros_like(b, operand), contribution, starts);
  Value window = language::dynamic_slice(b, sum, starts, ir::shape_of(contribution));
  contribution = language::cast(b, contribution, ir::dtype_of(sum));
  Value added = language::elementwise(b, Fn::add, {window, contribution});
  return language::dynamic_update_slice(b, sum, added, starts);
}

void Transposition::add_window(Value operand, const Values& starts, Value contribution) {
  auto carried = carried_.find(operand);
  if (auto kept = collected_.find(operand); kept != collected_.end() && carried == carried_.end())
    return kept->second.push_back({contribution, starts});
  if (carried != carried_.end())
    begin(operand, carried->second);
  add_to(operand, [&](Value sum) { return with_window(b, operand, sum, starts, contribution); });
}

static Values scalars(Builder& b, const Shape& starts) {
  Values values;
  for (const Extent& start : starts)
    values.push_back(language::extent_scalar(b, start, DType::i64));
  return values;
}

void Transposition::add_window(Value operand, const Shape& starts, Value contribution) {
  if (collected_.contains(operand))
    return add_window(operand, scalars(b, starts), contribution);
  if (!is_linear(operand))
    return;
  sums_[operand].windows.push_back({starts, contribution});
}

/// The dim along which windows lie in an array whose other dims they have whole.
static std::optional<size_t> dim_of_windows(const Shape& whole, const Shape& starts,
                                            const Shape& window) {
  std::optional<size_t> found;
  for (size_t dim = 0; dim < whole.size(); ++dim) {
    if (window[dim] == whole[dim])
      continue;
    if (found || !whole[dim].is_constant() || !window[dim].is_constant() ||
        !starts[dim].is_constant())
      return std::nullopt;
    found = dim;
  }
  return found;
}

void Transposition::settle(Value operand, Sum& sum) {
  if (sum.windows.empty())
    return;
  std::vector<Window> windows = std::move(sum.windows);
  sum.windows.clear();
  if (Value whole = put_together(operand, sum.value, windows)) {
    ++sum.contributions;
    sum.value = whole;
    return;
  }
  for (const Window& window : windows)
    add_up(operand, sum, [&](Value value) {
      return with_window(b, operand, value, scalars(b, window.starts), window.value);
    });
}

Value Transposition::put_together(Value operand, Value before, const std::vector<Window>& windows) {
  const Shape whole = ir::shape_of(operand);
  struct Piece {
    int64_t start, end;
    Value value;
  };
  std::vector<Piece> pieces;
  std::optional<size_t> dim;
  int64_t covered = 0;
  for (const Window& window : windows) {
    const Shape shape = ir::shape_of(window.value);
    auto along = dim_of_windows(whole, window.starts, shape);
    if (!along || (dim && *dim != *along))
      return {};
    dim = along;
    const int64_t start = *window.starts[*dim].constant();
    pieces.push_back({start, start + *shape[*dim].constant(), window.value});
    covered += *shape[*dim].constant();
  }
  const int64_t length = *whole[*dim].constant();
  if (before && 2 * covered < length) // most of it stays as it is, in place
    return {};
  if (before)
    pieces.insert(pieces.begin(), {0, length, before});
  std::set<int64_t> bounds{0, length};
  for (const Piece& piece : pieces)
    bounds.insert({piece.start, piece.end});
  // Between two bounds the windows there are added up, in their order.
  const size_t most = 4 * pieces.size(); // size of code: terms in all
  size_t terms = 0;
  std::vector<std::pair<int64_t, std::vector<Piece>>> runs;
  for (auto bound = bounds.begin(); std::next(bound) != bounds.end(); ++bound) {
    runs.push_back({*std::next(bound), {}});
    for (const Piece& piece : pieces)
      if (piece.start <= *bound && piece.end > *bound)
        runs.back().second.push_back(piece);
    terms += runs.back().second.size();
  }
  if (terms > most)
    return {};
  const bool adds = llvm::any_of(runs, [](const auto& run) { return run.second.size() > 1; });
  DType dtype = ir::dtype_of(operand);
  if (adds)
    dtype = language::wide_dtype(dtype);
  const auto axis = static_cast<int64_t>(*dim);
  Values parts;
  int64_t start = 0;
  for (const auto& [end, covering] : runs) {
    Value sum;
    for (const Piece& piece : covering) {
      Value part = piece.value;
      if (piece.start != start || piece.end != end)
        part = language::slice_dim(b, part, axis, start - piece.start, end - start);
      if (adds)
        part = language::cast(b, part, dtype);
      sum = sum ? language::elementwise(b, Fn::add, {sum, part}) : part;
    }
    Shape shape = whole;
    shape[*dim] = end - start;
    parts.push_back(sum ? sum : zeros(b, language::tensor_type(b, dtype, shape)));
    start = end;
  }
  return language::concat(b, parts, axis);
}

Value Transposition::start_of_sum(Value operand) {
  if (Value running = running_.lookup(operand))
    return running;
  if (auto carried = carried_.find(operand); carried != carried_.end()) {
    begin(operand, carried->second);
    if (Value sum = std::exchange(sums_[operand].value, {}))
      return sum;
  }
  const DType dtype = language::wide_dtype(ir::dtype_of(operand));
  return zeros(b, language::tensor_type(b, dtype, ir::shape_of(operand)));
}

void Transposition::add(Value operand, const Contribution& contribution) {
  if (contribution.starts)
    add_window(operand, *contribution.starts, contribution.value);
  else
    add(operand, contribution.value);
}

void transpose(mlir::Operation* op, Transposition& at) {
  by_rule_or_row<void>(
      op, [&](auto typed) -> decltype(transpose_rule(typed, at)) { transpose_rule(typed, at); },
      [](auto typed) -> decltype(is_not_linear(typed)) {},
      [](mlir::Operation* other) {
        refuse_nonlinear(other, "expected a function that is linear in its arguments");
      });
}

// Note [Running sums]
// The sum of what steps add to a capture, where it is no one op, goes through a nest of loops and
// through the branches inside, the last step of all first: each adds to the windows that it
// touches, in place. Sums of their own would begin with zeros as large as the capture at each step
// of the loop around. Inside, `start_of_sum` takes the sum and `add` gives it back.

// Note [Parts]
// Where a loop runs in segments, a cotangent that its steps add up is added up segment by segment,
// in the order of one loop. What steps add one after the other, also by one scatter, starts from
// what later segments have added. What they add as one op, whose chunks are merged pairwise, is
// merged pairwise from the segments' sums, if a segment has a power of two of chunks; else the op's
// operands are joined.

void prepare(mlir::Block& block, Transposition& at) {
  for (mlir::Operation& op : block.without_terminator()) {
    if (at.any_linear(op.getOperands())) {
      for (Value result : op.getResults())
        if (is_differentiable(result.getType()))
          at.set_linear(result);
      continue;
    }
    AtLine line(at.b, op.getLoc());
    mlir::Operation* copied = at.b.insert(op.clone());
    for (mlir::OpOperand& operand : copied->getOpOperands())
      operand.set(at.coefficient(operand.get()));
    for (auto [from, to] : llvm::zip(op.getResults(), copied->getResults()))
      at.set_coefficient(from, to);
  }
}

void transpose_block(mlir::Block& block, Transposition& at) {
  for (mlir::Operation& op : llvm::reverse(block.without_terminator())) {
    if (!at.any_linear(op.getOperands()))
      continue;
    const bool is_asked =
        llvm::any_of(op.getResults(), [&](Value result) { return at.has_cotangent(result); });
    if (!is_asked)
      continue;
    AtLine line(at.b, op.getLoc());
    transpose(&op, at);
  }
}

void transpose_program(LinearProgram& program, mlir::ValueRange residuals,
                       llvm::ArrayRef<Value> cotangents, Transposition& at) {
  mlir::Block& block = program.region->front();
  for (auto [argument, value] : llvm::zip(block.getArguments(), residuals))
    at.set_coefficient(argument, value);
  prepare(block, at);
  mlir::ValueRange yielded = block.getTerminator()->getOperands();
  // The last result's use comes first, as those of an op's operands. A program that outlives its
  // trace has other names for extents.
  for (size_t number = yielded.size(); number-- > 0;) {
    Value given = cotangents[number];
    if (given && !is_list(given) && !is_list(yielded[number]))
      given = language::with_shape(at.b, given, ir::shape_of(yielded[number]));
    at.add(yielded[number], given);
  }
  transpose_block(block, at);
}

} // namespace derive

language::Values transpose_linear(language::Builder& b, LinearProgram& program,
                                  mlir::ValueRange residuals,
                                  llvm::ArrayRef<mlir::Value> cotangents,
                                  const NewSymbol& new_symbol) {
  lists::rename_bound(*program.region, new_symbol); // its ops may be there already
  derive::Transposition at(b, new_symbol);
  auto tangents = program.region->getArguments().drop_front(program.residuals);
  for (mlir::Value tangent : tangents)
    at.set_linear(tangent);
  derive::transpose_program(program, residuals, cotangents, at);
  language::Values results;
  for (mlir::Value tangent : tangents)
    results.push_back(at.cotangent(tangent));
  return results;
}

} // namespace kolam::transform
