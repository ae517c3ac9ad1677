// Makes the programs of a stream: fixed values, states, rings of past elements.
#include "kolam/transform/stream/steps.h"

#include "kolam/ir/argument_names.h"
#include "kolam/ir/location.h"
#include "kolam/ir/ops.h"
#include "kolam/language/concat.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/index.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/language/slice.h"
#include "kolam/language/take.h"
#include "kolam/support/short_location.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kolam::transform::stream {
namespace {

Value integer(Builder& b, int64_t value) {
  return language::integer_constant(b, value, DType::i64);
}

Shape with_extent(Shape shape, int64_t dim, int64_t extent) {
  shape[static_cast<size_t>(dim)] = extent;
  return shape;
}

Value with_element(Builder& b, Value value, int64_t dim, Value place, Value element) {
  return language::dynamic_update_slice(b, value, element,
                                        starts_at(b, ir::rank_of(value), dim, place));
}

/// The last `wanted` elements of what came before the first step; zeros where there are fewer.
Value last_before(Builder& b, const Sequence& sequence, int64_t wanted) {
  const int64_t known = std::min(sequence.count_before(), wanted);
  Values parts;
  if (known < wanted)
    parts.push_back(zeros(b, ir::dtype_of(sequence.now),
                          with_extent(ir::shape_of(sequence.now), sequence.dim, wanted - known)));
  if (known > 0)
    parts.push_back(language::slice_dim(b, sequence.before, sequence.dim,
                                        sequence.count_before() - known, known));
  return parts.size() == 1 ? parts[0] : language::concat(b, parts, sequence.dim);
}

mlir::func::FuncOp empty_main(mlir::ModuleOp module) {
  auto b = mlir::OpBuilder::atBlockEnd(module.getBody());
  auto main = mlir::func::FuncOp::create(b, module.getLoc(), "main", b.getFunctionType({}, {}));
  main.addEntryBlock();
  return main;
}

} // namespace

void refuse(mlir::Operation* op, const std::string& why) {
  throw Error(ErrorKind::value, "not-streamable", why, ir::to_source_location(op->getLoc()));
}

std::string op_and_line(mlir::Operation* op) {
  std::string text = op->getName().stripDialect().str();
  SourceLocation where = ir::to_source_location(op->getLoc());
  return where ? text + " at " + short_location(where) : text;
}

int64_t number(mlir::Operation* op, const Extent& extent) {
  if (std::optional<int64_t> constant = extent.constant())
    return *constant;
  refuse(op, "expected extents that are numbers along the axis of a stream, but got " +
                 extent.to_string());
}

Values starts_at(Builder& b, int64_t rank, int64_t dim, Value start) {
  Values starts(static_cast<size_t>(rank), integer(b, 0));
  starts[static_cast<size_t>(dim)] = start;
  return starts;
}

Value element_at(Builder& b, Value value, int64_t dim, Value place) {
  return language::dynamic_slice(b, value, starts_at(b, ir::rank_of(value), dim, place),
                                 with_extent(ir::shape_of(value), dim, 1));
}

Value zeros(Builder& b, DType dtype, const Shape& shape) {
  Value zero = language::weak_constant(b, false, DType::boolean);
  return language::full(b, shape, language::cast(b, zero, dtype));
}

mlir::Operation* resized(Builder& b, mlir::Operation* op, const Values& operands,
                         llvm::ArrayRef<int64_t> dims, int64_t extent) {
  mlir::Operation* copied = b.insert(op->clone());
  copied->setOperands(operands);
  for (auto [result, dim] : llvm::zip(copied->getResults(), dims))
    if (dim >= 0)
      result.setType(ir::tensor_type(b.getContext(), ir::dtype_of(result),
                                     with_extent(ir::shape_of(result), dim, extent)));
  return copied;
}

Steps::Steps(mlir::func::FuncOp main, const std::vector<std::optional<int64_t>>& dims)
    : main_(main), dims_(dims), initial_module_(mlir::ModuleOp::create(main.getLoc())),
      step_module_(mlir::ModuleOp::create(main.getLoc())),
      initial_main_(empty_main(*initial_module_)), step_main_(empty_main(*step_module_)),
      initial_(main.getLoc(), mlir::OpBuilder::atBlockEnd(&initial_main_.getBody().front())),
      step_(main.getLoc(), mlir::OpBuilder::atBlockEnd(&step_main_.getBody().front())) {
  mlir::Block& step = step_main_.getBody().front();
  for (auto [argument, dim] : llvm::zip(main.getArguments(), dims_))
    if (dim) {
      Shape shape = ir::shape_of(argument);
      length_ = *shape[static_cast<size_t>(*dim)].constant();
      shape.erase(shape.begin() + *dim);
      Value element = step.addArgument(
          ir::tensor_type(main.getContext(), ir::dtype_of(argument), shape), argument.getLoc());
      set(argument, {.now = language::expand_dims(step_, element, {*dim}),
                     .before = {},
                     .dim = *dim,
                     .offset = 0,
                     .length = length_});
      ++elements_;
    }
  for (auto [argument, dim] : llvm::zip(main.getArguments(), dims_))
    if (!dim) {
      fixed_step_[argument] = step.addArgument(argument.getType(), argument.getLoc());
      fixed_initial_[argument] =
          initial_main_.getBody().front().addArgument(argument.getType(), argument.getLoc());
    }
}

void Steps::at(mlir::Operation* op) {
  op_ = op;
  initial_.setLoc(op->getLoc());
  step_.setLoc(op->getLoc());
}

const Sequence* Steps::find(Value value) const {
  auto found = sequences_.find(value);
  return found == sequences_.end() ? nullptr : &found->second;
}

void Steps::require_outside_bodies() const {
  if (in_body_)
    refuse(op_, op_and_line(op_) + " counts elements, or keeps some for later steps");
}

/// Programs may be deep: without recursion.
Value Steps::fixed(Part part, Value value) {
  if (part == Part::initial)
    require_outside_bodies();
  auto& known = part == Part::initial ? fixed_initial_ : fixed_step_;
  std::vector<Value> waiting{value};
  while (!waiting.empty()) {
    Value next = waiting.back();
    mlir::Operation* op = next.getDefiningOp();
    if (known.contains(next)) {
      waiting.pop_back();
      continue;
    }
    KOLAM_CHECK(op); // arguments are known
    if (!mlir::isMemoryEffectFree(op) && !llvm::isa<ir::EmptyOp>(op))
      refuse(op, "expected ops without effects, but got " + op_and_line(op) +
                     ", which a step can't repeat");
    const size_t count = waiting.size();
    for (Value operand : op->getOperands())
      if (!known.contains(operand))
        waiting.push_back(operand);
    if (waiting.size() > count)
      continue;
    mlir::Operation* copied = in(part).insert(op->clone());
    for (mlir::OpOperand& operand : copied->getOpOperands())
      operand.set(known.lookup(operand.get()));
    for (auto [from, to] : llvm::zip(op->getResults(), copied->getResults()))
      known[from] = to;
  }
  return known.lookup(value);
}

Value Steps::count() {
  require_outside_bodies();
  if (!count_) {
    count_ = state(integer(initial_, 0), "the number of the step");
    set_next(count_, language::elementwise(step_, Fn::add, {count_, integer(step_, 1)}));
  }
  return count_;
}

Value Steps::element_number(int64_t offset) {
  if (offset == 0)
    return count();
  return language::elementwise(step_, Fn::subtract, {count(), integer(step_, offset)});
}

Value Steps::state(Value first, const std::string& what) {
  require_outside_bodies();
  const auto place = static_cast<unsigned>(elements_ + static_cast<int64_t>(states_.size()));
  Value argument =
      step_main_.getBody().front().insertArgument(place, first.getType(), step_.getLoc());
  states_.push_back({argument, first, argument, what});
  return argument;
}

void Steps::set_next(Value state, Value next) {
  llvm::find_if(states_, [&](const State& other) { return other.argument == state; })->next = next;
}

Sequence Steps::delayed(const Sequence& sequence, int64_t steps) {
  if (steps == 0)
    return sequence;
  auto key = std::make_tuple(sequence.now.getAsOpaquePointer(), steps);
  if (auto found = delayed_.find(key); found != delayed_.end())
    return found->second;
  const int64_t dim = sequence.dim, before = sequence.count_before();
  Sequence later = sequence;
  later.offset += steps;
  later.before = before > steps
                     ? language::slice_dim(initial_, sequence.before, dim, 0, before - steps)
                     : Value();
  Value past = state(last_before(initial_, sequence, steps), "past of " + op_and_line(op_));
  if (steps == 1) {
    later.now = past;
    set_next(past, sequence.now);
  } else {
    Value place = language::elementwise(step_, Fn::remainder, {count(), integer(step_, steps)});
    later.now = element_at(step_, past, dim, place);
    set_next(past, with_element(step_, past, dim, place, sequence.now));
  }
  return delayed_[key] = later;
}

Sequence Steps::at_offset(const Sequence& sequence, int64_t offset) {
  return delayed(sequence, offset - sequence.offset);
}

Sequence Steps::window(const Sequence& sequence, int64_t apart, int64_t count) {
  if (count == 1)
    return sequence;
  const int64_t dim = sequence.dim, span = apart * (count - 1) + 1;
  // The element of step s lies at s mod span, that of step -q at span - q.
  Value unused =
      zeros(initial_, ir::dtype_of(sequence.now), with_extent(ir::shape_of(sequence.now), dim, 1));
  Value first =
      language::concat(initial_, {unused, last_before(initial_, sequence, span - 1)}, dim);
  Value past = state(first, "window of " + op_and_line(op_));
  Builder& b = step_;
  auto modulo = [&](Value value) {
    return language::elementwise(b, Fn::remainder, {value, integer(b, span)});
  };
  Value held = with_element(b, past, dim, modulo(this->count()), sequence.now);
  set_next(past, held);
  Value places = language::elementwise(
      b, Fn::multiply, {language::iota(b, {count}, 0, DType::i64), integer(b, apart)});
  Value oldest = language::elementwise(b, Fn::add, {this->count(), integer(b, 1)});
  places = modulo(language::elementwise(b, Fn::add, {places, oldest}));
  Sequence windows = sequence;
  windows.now = language::take(b, held, places, dim);
  windows.offset += span - 1;
  return windows;
}

Sequence Steps::padded(const Sequence& sequence, int64_t low, Value value) {
  if (low == 0)
    return sequence;
  Sequence padded = sequence;
  padded.offset -= low;
  padded.length += low;
  if (Value begun = has_begun(sequence))
    padded.now = choose(begun, sequence.now, fixed(Part::step, value));
  if (const int64_t count = padded.count_before(); count > 0) {
    const int64_t added = count - sequence.count_before();
    Shape shape = with_extent(ir::shape_of(sequence.now), sequence.dim, added);
    padded.before = language::full(initial_, shape, fixed(Part::initial, value));
    if (sequence.before)
      padded.before = language::concat(initial_, {padded.before, sequence.before}, sequence.dim);
  }
  return padded;
}

Value Steps::has_begun(const Sequence& sequence) {
  if (sequence.offset <= 0)
    return {};
  return language::elementwise(step_, Fn::greater_equal,
                               {count(), integer(step_, sequence.offset)});
}

Value Steps::choose(Value mask, Value x, Value y) {
  return language::elementwise(step_, Fn::where, {mask, x, y});
}

void Steps::check_fixed(mlir::Operation* check) {
  const Part part = in_body_ ? Part::step : Part::initial;
  Value condition = fixed(part, check->getOperand(0));
  in(part).insert(check->clone())->setOperand(0, condition);
}

void Steps::end_after(int64_t steps, const std::string& why) {
  if (longest_ >= 0 && longest_ <= steps)
    return;
  longest_ = steps;
  longest_why_ = why;
  count(); // steps are counted then
}

namespace {

/// Throws what the verifier says of a program, at the user's line: an op that no rule knows takes
/// whole sequences.
void verify(mlir::ModuleOp module) {
  std::string message;
  mlir::Location where = module.getLoc();
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic& diagnostic) {
    if (message.empty()) {
      message = diagnostic.str();
      where = diagnostic.getLocation();
    }
    return mlir::success();
  });
  if (failed(mlir::verify(module)))
    throw Error(ErrorKind::value, "not-streamable",
                "expected an op that takes one element of a sequence, but " + message,
                ir::to_source_location(where));
}

} // namespace

namespace {

[[noreturn]] void refuse_looking_ahead(const Sequence& sequence, mlir::Operation* end) {
  const std::string ahead = std::to_string(sequence.offset);
  refuse(sequence.latest ? sequence.latest : end,
         "expected element i of a result to need elements up to i of the sequences, but it needs "
         "element i + " +
             ahead + ": " + (sequence.latest ? op_and_line(sequence.latest) : "the program") +
             " looks ahead; give it elements " + ahead +
             (sequence.offset == 1 ? " step" : " steps") + " later, concat([first, x[:-" + ahead +
             "]]) for x with the first " + ahead + " of your own, or pad windows in front alone");
}

} // namespace

StreamPrograms Steps::finish() {
  StreamPrograms programs;
  mlir::Operation* end = main_.getBody().front().getTerminator();
  Values results, firsts;
  for (Value value : end->getOperands()) {
    const Sequence* found = find(value);
    if (!found) {
      results.push_back(fixed(Part::step, value));
      programs.results.push_back(std::nullopt);
      continue;
    }
    if (found->offset > 0)
      refuse_looking_ahead(*found, end);
    if (value.getDefiningOp())
      at(value.getDefiningOp());
    Sequence sequence = at_offset(*found, 0);
    results.push_back(language::squeeze(step_, sequence.now, language::Axes{sequence.dim}));
    programs.results.push_back(sequence.dim);
  }
  for (const State& state : states_) {
    if (state.argument == count_)
      programs.count_state = static_cast<int64_t>(programs.states.size());
    results.push_back(state.next);
    firsts.push_back(state.first);
    programs.states.push_back(state.what);
  }
  auto close = [](mlir::func::FuncOp main, Builder& b, const Values& given) {
    mlir::func::ReturnOp::create(b, given);
    main.setFunctionType(b.getFunctionType(main.getBody().front().getArgumentTypes(),
                                           mlir::ValueRange(given).getTypes()));
  };
  close(step_main_, step_, results);
  close(initial_main_, initial_, firsts);
  const auto given = static_cast<int64_t>(programs.results.size());
  for (int64_t number = 0; number < static_cast<int64_t>(states_.size()); ++number)
    step_main_.setArgAttr(static_cast<unsigned>(elements_ + number), ir::kCarried,
                          step_.getI64IntegerAttr(given + number));
  verify(*step_module_);
  verify(*initial_module_);
  programs.initial = std::move(initial_module_);
  programs.step = std::move(step_module_);
  programs.elements = elements_;
  programs.longest = longest_;
  programs.longest_why = longest_why_;
  return programs;
}

} // namespace kolam::transform::stream
