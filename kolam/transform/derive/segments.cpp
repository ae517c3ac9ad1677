// Runs loops in segments.
#include "kolam/transform/derive/segments.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/control.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/index.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/region.h"
#include "kolam/language/reverse.h"
#include "kolam/transform/derive/bodies.h"
#include "kolam/transform/derive/one_op.h"
#include "kolam/transform/derive/placing.h"

#include "mlir/IR/IRMapping.h"

#include <bit>

namespace kolam::transform::derive {
namespace {

using Types = llvm::SmallVector<mlir::Type>;

/// A loop as a head, the steps that run first, and segments of equal length behind it.
struct Split {
  explicit Split(ir::ScanOp op)
      : is_reverse(op.getReverse()), length(*op.getLength().shape()[0].constant()),
        steps(segments_of(op).front()), count(length / steps), head(length % steps) {}

  language::Direction direction() const {
    return is_reverse ? language::Direction::reverse : language::Direction::forward;
  }
  language::Direction opposite() const {
    return is_reverse ? language::Direction::forward : language::Direction::reverse;
  }
  /// The head's part of what has an element for each step.
  Value head_of(Builder& b, Value x) const {
    return part(b, x, is_reverse ? length - head : 0, head);
  }
  /// What a loop over segments reads so that `part_of` has an element of each step: a value with
  /// a segment in front or, as a part behind a head would be copied, the segment's number.
  Value for_segments(Builder& b, Value x) const {
    if (head > 0)
      return language::iota(b, {count}, 0, DType::i32);
    Shape shape = ir::shape_of(x);
    shape[0] = steps;
    shape.insert(shape.begin(), count);
    return reshaped(b, x, shape);
  }
  /// The segment's part of `x`, given that value at the segment.
  Value part_of(Builder& b, Value x, Value given) const {
    if (head == 0)
      return given;
    auto number = [&](int64_t value) { return language::integer_constant(b, value, DType::i32); };
    Value start = language::elementwise(b, Fn::multiply, {given, number(steps)});
    if (!is_reverse)
      start = language::elementwise(b, Fn::add, {start, number(head)});
    Shape shape = ir::shape_of(x);
    shape[0] = steps;
    Values starts(shape.size(), number(0));
    starts[0] = start;
    return language::dynamic_slice(b, x, starts, shape);
  }
  /// What has an element for each step; `first` is null where there is no head.
  Value joined(Builder& b, Value first, Value segments) const {
    Value rest = flat(b, segments);
    if (!first)
      return rest;
    return language::concat(b, is_reverse ? Values{rest, first} : Values{first, rest}, 0);
  }
  /// What each segment gives in the order of sums: the last that runs first.
  Value last_first(Builder& b, Value of_segments) const {
    return is_reverse ? of_segments : language::flip(b, of_segments, language::Axes{0});
  }
  /// Without the first dim.
  static Value flat(Builder& b, Value segments) {
    Shape shape = ir::shape_of(segments);
    shape[1] = shape[0] * shape[1];
    shape.erase(shape.begin());
    return reshaped(b, segments, shape);
  }

  bool is_reverse;
  int64_t length, steps, count, head;

private:
  static Value part(Builder& b, Value x, int64_t start, int64_t extent) {
    Shape shape = ir::shape_of(x), starts(shape.size(), Extent(0));
    if (shape[0] == Extent(extent))
      return x;
    shape[0] = extent;
    starts[0] = start;
    llvm::SmallVector<int64_t> ones(shape.size(), 1);
    return ir::SliceOp::create(b, language::tensor_type(b, ir::dtype_of(x), shape), x,
                               ir::ExtentsAttr::of(b.getContext(), starts), ones);
  }
};

/// `steps` of the loop, in segments of their own where it says so.
Values run(Builder& b, ir::ScanOp op, int64_t steps, const Values& inits, const Values& xs,
           const Values& captures, bool in_segments) {
  auto region = std::make_unique<mlir::Region>();
  mlir::IRMapping map;
  op.getBody().cloneInto(region.get(), map);
  const auto direction =
      op.getReverse() ? language::Direction::reverse : language::Direction::forward;
  Values made = language::scan(b, inits, xs, steps, direction, {std::move(region), captures});
  if (llvm::ArrayRef<int64_t> lengths = segments_of(op);
      in_segments && lengths.size() > 1 && !made.empty())
    made[0].getDefiningOp()->setAttr(kSegments, b.getDenseI64ArrayAttr(lengths.drop_front()));
  return made;
}

Values mapped(const Values& values, llvm::function_ref<Value(Value)> make) {
  Values made;
  for (Value value : values)
    made.push_back(make(value));
  return made;
}

Values taken(mlir::ValueRange values, size_t& next, size_t count) {
  auto found = values.slice(next, count);
  next += count;
  return Values(found.begin(), found.end());
}

/// The operands of composite "segments".
struct Operands {
  Operands(ir::ScanOp op, const Values& all) {
    size_t next = 0;
    inits = taken(all, next, op.getInits().size());
    xs = taken(all, next, op.getXs().size());
    captures = taken(all, next, op.getCaptures().size());
    starts = taken(all, next, op.getInits().size());
    tangents = next;
  }
  Values inits, xs, captures, starts;
  size_t tangents; ///< where they begin
};

/// Pairwise, as chunks are merged: (0, 1), (2, 3), ..., an odd last one moves up.
Value merged(Builder& b, Value nodes) {
  Value sum = language::combine(b, nodes, Fn::add, {0});
  auto reduce = sum.getDefiningOp<ir::ReduceOp>();
  reduce.setAccumulateAttr(ir::accumulate_attr(b.getContext(), Accumulate{Order::chunk, 1, 1}));
  return sum;
}

/// Steps of the loop again, and their transpose.
class Again {
public:
  Again(ir::ScanOp op, const Flags& active, const NewSymbol& symbols)
      : op_(op), active_(active), new_symbol_(symbols) {}

  /// What the steps add to each captured value: sums of them as one op, and what they have added
  /// one after the other to `running`; null for nothing.
  struct OfCapture {
    std::vector<StepSum> sums;
    Value running;
  };
  struct Cotangents {
    Values states, xs; ///< of the active ones
    std::vector<OfCapture> captures;
  };

  /// `ys` may have null values. `running` of the active captures.
  Cotangents run_back(Builder& b, int64_t steps, const Values& starts, const Values& xs,
                      const Values& captures, const Values& states, const Values& ys,
                      const Values& running) const {
    Values given = starts;
    llvm::append_range(given, xs);
    llvm::append_range(given, captures);
    auto region =
        language::make_region(b, mlir::ValueRange(given).getTypes(), [&](const Values& own) {
          size_t next = 0;
          Values inits = taken(own, next, starts.size()), rows = taken(own, next, xs.size());
          return run(b, op_, steps, inits, rows, taken(own, next, captures.size()), true);
        });
    Linearised made = transform::linearise(b, *region, given, active_, new_symbol_);
    LinearProgram& program = made.linear;
    mlir::Block& block = program.region->front();
    Transposition inner(b, new_symbol_);
    for (auto [argument, value] : llvm::zip(block.getArguments(), made.residuals))
      inner.set_coefficient(argument, value);
    auto tangents = block.getArguments().drop_front(program.residuals);
    const size_t own = starts.size() + xs.size();
    size_t capture = 0;
    for (auto [tangent, argument] : llvm::zip(tangents, program.arguments))
      if (argument < own)
        inner.set_linear(tangent);
      else
        inner.collect_parts(tangent, running[capture++]);
    prepare(block, inner);
    mlir::ValueRange yielded = block.getTerminator()->getOperands();
    for (size_t number = yielded.size(); number-- > 0;) {
      const size_t result = program.results[number];
      inner.add(yielded[number],
                result < starts.size() ? states[result] : ys[result - starts.size()]);
    }
    transpose_block(block, inner);
    Cotangents found;
    for (auto [tangent, argument] : llvm::zip(tangents, program.arguments))
      if (argument < starts.size())
        found.states.push_back(inner.cotangent_or_zeros(tangent));
      else if (argument < own)
        found.xs.push_back(inner.cotangent_or_zeros(tangent));
      else
        found.captures.push_back(of_capture(inner, tangent));
    return found;
  }

private:
  static OfCapture of_capture(Transposition& inner, Value tangent) {
    OfCapture found;
    Transposition others(inner.b, inner.new_symbol); // what is no sum of all steps
    others.set_linear(tangent);
    for (Transposition::Contribution& contribution : inner.contributions(tangent))
      if (contribution.sum)
        found.sums.push_back(std::move(*contribution.sum));
      else
        others.add(tangent, contribution);
    found.running = others.sum(tangent);
    return found;
  }

  ir::ScanOp op_;
  const Flags& active_;
  const NewSymbol& new_symbol_;
};

/// Whether sums of segments are merged; else the operands of the op that makes them are joined.
bool is_merged(const StepSum& sum) {
  return sum.chunks > 0 && std::has_single_bit(static_cast<uint64_t>(sum.chunks)) &&
         !is_narrow_float(ir::dtype_of(sum.value));
}

/// What a segment gives of a sum: the sum, or the operands of its op that are to be joined. Those
/// that the loop around the segments, whose body is `block`, does not change are not given.
Values parts_of(const StepSum& sum, mlir::Block* block) {
  if (is_merged(sum))
    return {sum.value};
  Values parts;
  for (auto [operand, is_stacked] :
       llvm::zip(sum.value.getDefiningOp()->getOperands(), sum.is_stacked))
    if (is_stacked || operand.getParentBlock() == block)
      parts.push_back(operand);
  return parts;
}

/// A sum of the segments of a loop, and how many parts of it each gives.
struct SegmentSum {
  StepSum sum;
  std::vector<bool> is_given; ///< of each operand of its op
  size_t parts = 1;
};

SegmentSum segment_sum(const StepSum& sum, mlir::Block* block) {
  SegmentSum made{sum, {}, parts_of(sum, block).size()};
  if (!is_merged(sum))
    for (auto [operand, is_stacked] :
         llvm::zip(sum.value.getDefiningOp()->getOperands(), sum.is_stacked))
      made.is_given.push_back(is_stacked || operand.getParentBlock() == block);
  return made;
}

Value first_of(Builder& b, Value segments) {
  Shape shape = ir::shape_of(segments), starts(shape.size(), Extent(0));
  shape[0] = 1;
  llvm::SmallVector<int64_t> ones(shape.size(), 1);
  Value first = ir::SliceOp::create(b, language::tensor_type(b, ir::dtype_of(segments), shape),
                                    segments, ir::ExtentsAttr::of(b.getContext(), starts), ones);
  shape.erase(shape.begin());
  return reshaped(b, first, shape);
}

/// The sum over all steps: of the parts that the segments of `loop` gave, in the order of sums, and
/// of the head.
StepSum whole(Builder& b, ir::ScanOp loop, const SegmentSum& of_segment, const Values& segments,
              const StepSum* head) {
  const StepSum& sum = of_segment.sum;
  StepSum made = sum;
  if (is_merged(sum)) {
    Value nodes = segments[0];
    if (head) {
      Shape one = ir::shape_of(head->value);
      one.insert(one.begin(), 1);
      nodes = language::concat(b, {nodes, reshaped(b, head->value, one)}, 0);
    }
    made.value = merged(b, nodes);
    const auto count = ir::shape_of(segments[0])[0].constant();
    made.chunks = count && !head ? sum.chunks * *count : 0;
    return made;
  }
  mlir::Operation* op = sum.value.getDefiningOp();
  Values operands;
  for (size_t number = 0, next = 0; number < sum.is_stacked.size(); ++number) {
    Value of_head =
        head ? head->value.getDefiningOp()->getOperand(static_cast<unsigned>(number)) : Value();
    Value given = of_segment.is_given[number] ? segments[next++] : Value();
    if (sum.is_stacked[number]) {
      Value rows = Split::flat(b, given);
      operands.push_back(head ? language::concat(b, {rows, of_head}, 0) : rows);
    } else if (head) {
      operands.push_back(of_head);
    } else {
      operands.push_back(given ? first_of(b, given)
                               : outside(loop.getBody().front(), loop.getCaptures(),
                                         op->getOperand(static_cast<unsigned>(number))));
    }
  }
  mlir::Operation* copied = b.insert(op->clone());
  copied->setOperands(operands);
  made.value = copied->getResult(0);
  made.chunks = 0;
  return made;
}

} // namespace

llvm::ArrayRef<int64_t> segments_of(ir::ScanOp op) {
  auto attribute = op->getAttrOfType<mlir::DenseI64ArrayAttr>(kSegments);
  const auto length = op.getLength().shape()[0].constant();
  if (!attribute || !length)
    return {};
  llvm::ArrayRef<int64_t> lengths = attribute.asArrayRef();
  while (!lengths.empty() && (lengths[0] < 1 || *length <= lengths[0]))
    lengths = lengths.drop_front();
  return lengths;
}

void linearise_in_segments(ir::ScanOp op, const Flags& active, const Flags& results,
                           Linearisation& at) {
  Builder& b = at.b;
  const Split split(op);
  const size_t states = op.getInits().size();
  const Values inits = at.primals(op.getInits()), xs = at.primals(op.getXs()),
               captures = at.primals(op.getCaptures());
  auto head_of = [&](Value x) { return split.head_of(b, x); };

  Values begun = inits, first;
  if (split.head > 0) {
    first = run(b, op, split.head, inits, mapped(xs, head_of), captures, false);
    begun.assign(first.begin(), first.begin() + static_cast<int64_t>(states));
  }
  const Values rows = mapped(xs, [&](Value x) { return split.for_segments(b, x); });
  Types types(mlir::ValueRange(begun).getTypes());
  for (Value row : rows)
    types.push_back(language::slice_type(b, row));
  language::Body body = language::make_body(b, types, [&](const Values& own) {
    size_t next = 0;
    Values starts = taken(own, next, states);
    Values steps = mapped(xs, [&](Value x) { return split.part_of(b, x, own[next++]); });
    Values made = run(b, op, split.steps, starts, steps, captures, false);
    llvm::append_range(made, starts);
    return made;
  });
  Values made = language::scan(b, begun, rows, split.count, split.direction(), std::move(body));
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    at.set(result, number < states
                       ? made[number]
                       : split.joined(b, split.head > 0 ? first[number] : Value(), made[number]));

  Values given = inits;
  llvm::append_range(given, xs);
  llvm::append_range(given, captures);
  const size_t primals = given.size() + states;
  given.insert(given.end(), made.begin() + static_cast<int64_t>(op->getNumResults()), made.end());
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    if (active[number])
      given.push_back(at.tangent_or_zeros(operand));
  std::vector<size_t> numbers;
  Types result_types;
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    if (number < states ? active[number] : results[number]) {
      numbers.push_back(number);
      result_types.push_back(result.getType());
    }
  Builder& linear = at.linear;
  auto composite = ir::CompositeOp::create(linear, result_types, "segments", given, 1);
  composite->setAttr("residuals", linear.getI64IntegerAttr(static_cast<int64_t>(primals)));
  composite->setAttr("results", linear.getDenseI64ArrayAttr(
                                    llvm::SmallVector<int64_t>(numbers.begin(), numbers.end())));
  llvm::SmallVector<int64_t> flags(active.begin(), active.end());
  composite->setAttr("active", linear.getDenseI64ArrayAttr(flags));
  const Types given_types(mlir::ValueRange(given).getTypes());
  composite.getRules()[0].takeBody(
      *language::make_region(linear, given_types, [&](const Values& own) {
        const Operands all(op, own);
        Values again = run(linear, op, split.length, all.inits, all.xs, all.captures, false);
        again[0].getDefiningOp()->setAttr(kSegments, op->getAttr(kSegments));
        return again;
      }));
  composite.getBody().takeBody(*language::make_region(linear, given_types, [&](const Values& own) {
    const Operands all(op, own);
    auto loop = language::make_region(linear, op->getOperandTypes(), [&](const Values& arguments) {
      size_t next = 0;
      Values begin = taken(arguments, next, states), steps = taken(arguments, next, xs.size());
      return run(linear, op, split.length, begin, steps, taken(arguments, next, captures.size()),
                 false);
    });
    Values tangents;
    for (size_t number = 0, next = all.tangents; number < active.size(); ++number)
      tangents.push_back(active[number] ? own[next++] : Value());
    Pushed pushed = transform::push_forward(
        linear, *loop, mlir::ValueRange(own).take_front(active.size()), tangents, at.new_symbol);
    Values yielded;
    for (size_t number : numbers)
      yielded.push_back(pushed.tangents[number] ? pushed.tangents[number]
                                                : zeros_like(linear, pushed.results[number]));
    return yielded;
  }));
  for (auto [number, tangent] : llvm::zip(numbers, composite.getResults()))
    at.set_tangent(op->getResult(static_cast<unsigned>(number)), tangent);
}

void transpose_segments(ir::CompositeOp composite, Transposition& at) {
  Builder& b = at.b;
  auto op = llvm::cast<ir::ScanOp>(composite.getRules()[0].front().front());
  const Split split(op);
  const size_t states = op.getInits().size();
  Flags active;
  for (int64_t flag : composite->getAttrOfType<mlir::DenseI64ArrayAttr>("active").asArrayRef())
    active.push_back(flag != 0);
  auto counted = [&](size_t from, size_t count) {
    return static_cast<size_t>(std::count(active.begin() + static_cast<int64_t>(from),
                                          active.begin() + static_cast<int64_t>(from + count),
                                          true));
  };
  const size_t active_states = counted(0, states), active_xs = counted(states, op.getXs().size());
  const auto residuals =
      static_cast<size_t>(composite->getAttrOfType<mlir::IntegerAttr>("residuals").getInt());
  Values coefficients;
  for (Value operand : composite.getOperands().take_front(residuals))
    coefficients.push_back(at.coefficient(operand));
  const Operands own(op, coefficients);
  auto tangents = composite.getOperands().drop_front(residuals);
  auto captured = tangents.drop_front(active_states + active_xs);

  // Cotangents of results: of each state, of what steps give where it has one.
  Values of_states(states), of_ys(op->getNumResults() - states);
  for (auto [result, number] :
       llvm::zip(composite.getResults(),
                 composite->getAttrOfType<mlir::DenseI64ArrayAttr>("results").asArrayRef())) {
    const auto place = static_cast<size_t>(number);
    if (place < states)
      of_states[place] = at.cotangent_or_zeros(result);
    else
      of_ys[place - states] = at.cotangent(result);
  }
  auto for_segments = [&](Value x) { return x ? split.for_segments(b, x) : x; };
  auto head_of = [&](Value x) { return x ? split.head_of(b, x) : x; };
  const Again again(op, active, at.new_symbol);

  // The segments, the last first: states, what is carried of captures, what each gives.
  Values inits, begun = own.starts, rows = mapped(own.xs, for_segments),
                ys = mapped(of_ys, for_segments);
  for (auto [number, state] : llvm::enumerate(of_states))
    if (active[number])
      inits.push_back(state);
  Values running(captured.size());
  std::vector<bool> is_carried(captured.size(), false);
  std::vector<std::vector<SegmentSum>> sums;
  auto make = [&](bool is_last) {
    Types types(mlir::ValueRange(inits).getTypes());
    const size_t carried = types.size();
    for (const Values& stacked : {begun, rows, ys})
      for (Value value : stacked)
        if (value)
          types.push_back(language::slice_type(b, value));
    return language::make_body(b, types, [&](const Values& arguments) {
      size_t next = 0, next_x = carried;
      Values cotangents(states), sums_so_far(captured.size());
      for (size_t number = 0; number < states; ++number)
        if (active[number])
          cotangents[number] = arguments[next++];
      for (size_t number = 0; is_last && number < captured.size(); ++number)
        if (is_carried[number])
          sums_so_far[number] = arguments[next++];
      Values starts = taken(arguments, next_x, states);
      auto segment_of = [&](Value x) { return x ? split.part_of(b, x, arguments[next_x++]) : x; };
      Values xs = mapped(own.xs, segment_of), of_steps = mapped(of_ys, segment_of);
      Again::Cotangents found = again.run_back(b, split.steps, starts, xs, own.captures, cotangents,
                                               of_steps, sums_so_far);
      Values results = found.states;
      sums.clear();
      for (auto [number, capture] : llvm::enumerate(found.captures)) {
        if (is_last && is_carried[number])
          results.push_back(capture.running);
        is_carried[number] = bool(capture.running);
        sums.emplace_back();
        for (const StepSum& sum : capture.sums)
          sums.back().push_back(segment_sum(sum, b.getInsertionBlock()));
      }
      llvm::append_range(results, found.xs);
      for (const std::vector<SegmentSum>& of_capture : sums)
        for (const SegmentSum& one : of_capture)
          llvm::append_range(results, parts_of(one.sum, b.getInsertionBlock()));
      return results;
    });
  };
  if (!captured.empty())
    make(false);
  for (auto [number, tangent] : llvm::enumerate(captured))
    if (is_carried[number]) {
      Value before = at.running(tangent);
      const DType dtype = language::wide_dtype(ir::dtype_of(tangent));
      inits.push_back(before ? before
                             : zeros(b, language::tensor_type(b, dtype, ir::shape_of(tangent))));
    }
  language::Body body = make(true);
  Values stacked = begun;
  llvm::append_range(stacked, rows);
  for (Value y : ys)
    if (y)
      stacked.push_back(y);
  Values made = language::scan(b, inits, stacked, split.count, split.opposite(), std::move(body));
  auto loop = made[0].getDefiningOp<ir::ScanOp>();
  size_t next = 0;
  Values at_head(states);
  for (size_t number = 0; number < states; ++number)
    if (active[number])
      at_head[number] = made[next++];
  for (size_t number = 0; number < captured.size(); ++number)
    if (is_carried[number])
      running[number] = made[next++];

  std::optional<Again::Cotangents> head;
  if (split.head > 0)
    head = again.run_back(b, split.head, own.inits, mapped(own.xs, head_of), own.captures, at_head,
                          mapped(of_ys, head_of), running);
  Values of_xs;
  for (size_t number = 0; number < active_xs; ++number)
    of_xs.push_back(split.joined(b, head ? head->xs[number] : Value(), made[next++]));
  std::vector<std::vector<StepSum>> wholes;
  for (size_t number = 0; number < captured.size(); ++number) {
    wholes.emplace_back();
    for (auto [place, sum] : llvm::enumerate(sums[number])) {
      Values given;
      for (size_t part = 0; part < sum.parts; ++part)
        given.push_back(split.last_first(b, made[next++]));
      wholes.back().push_back(
          whole(b, loop, sum, given, head ? &head->captures[number].sums[place] : nullptr));
    }
    if (head && is_carried[number])
      running[number] = head->captures[number].running;
  }
  for (size_t number = captured.size(); number-- > 0;) {
    for (StepSum& sum : wholes[number])
      if (at.collects_parts(captured[number]))
        at.add_part(captured[number], std::move(sum));
      else
        at.add(captured[number], finished(b, sum, sum.value));
    if (running[number])
      at.add(captured[number], running[number]);
  }
  for (size_t number = active_xs; number-- > 0;)
    at.add(tangents[active_states + number], of_xs[number]);
  Values of_inits;
  for (size_t number = 0; number < states; ++number)
    if (active[number])
      of_inits.push_back(at_head[number]);
  if (head)
    of_inits = head->states;
  for (size_t number = active_states; number-- > 0;)
    at.add(tangents[number], of_inits[number]);
}

} // namespace kolam::transform::derive
